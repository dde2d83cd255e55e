// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Infinite planes. In space: a surface that fades into the horizon, grid lines, soft contact
 * shadows (shade.ts), and a sheet that receives cast shadows, if they are on. Walls have lines
 * only. In planar scenes a half-plane is a broad band.
 */
import {
    BufferGeometry,
    Color,
    Float32BufferAttribute,
    Group,
    LineSegments,
    Matrix4,
    Mesh,
    MeshBasicMaterial,
    PlaneGeometry,
    Quaternion,
    ShaderMaterial,
    ShadowMaterial,
    Vector3,
} from "three";
import { reachOf, toWorld } from "./bodies";
import { BODY_FLOATS, type SceneMessage, type ShapeInfo } from "./protocol";
import { ContactShade } from "./shade";
import type { Palette } from "./theme";

/* Cells from the middle to each side, and pieces of a line, between which it fades. */
const FLOOR_CELLS = 20;
const FLOOR_PIECES = 8;
const WALL_CELLS = 5;
const WALL_PIECES = 4;

/** A power of ten, or twice or five times one, near x. */
export function roundLength(x: number): number {
    const power = 10 ** Math.floor(Math.log10(x));
    const digit = x / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

/**
 * The lines of a grid of unit cells in z = 0; their alpha falls to zero from the middle. Every
 * other line ends halfway, where lines are faint and dense: they are expensive in software
 * rendering.
 */
function gridLines(cells: number, pieces: number): BufferGeometry {
    const position: number[] = [];
    const colour: number[] = [];
    const add = (x: number, y: number) => {
        const part = Math.hypot(x, y) / cells;
        position.push(x, y, 0);
        colour.push(1, 1, 1, Math.max(0, 1 - part) ** 1.5);
    };
    for (let k = -cells; k <= cells; ++k)
        for (let piece = 0; piece < pieces; ++piece) {
            const from = cells * (-1 + (2 * piece) / pieces);
            const to = from + (2 * cells) / pieces;
            const nearest = Math.min(Math.abs(from), Math.abs(to));
            if (k % 2 !== 0 && Math.hypot(k, nearest) >= cells / 2) continue;
            if (Math.hypot(k, nearest) >= cells) continue; // invisible
            add(k, from);
            add(k, to);
            add(from, k);
            add(to, k);
        }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(position, 3));
    geometry.setAttribute("color", new Float32BufferAttribute(colour, 4));
    return geometry;
}

/* Rings of the surface, in sizes of the scene, and their share of the horizon's colour. */
const RINGS = [
    [0, 0],
    [3, 0.05],
    [9, 0.55],
    [22, 0.9],
    [60, 1],
];
const RING_SIDES = 40;

/** A disc of rings in z = 0; colours are set by setSurface. */
function surface(reach: number): BufferGeometry {
    const position: number[] = [];
    const index: number[] = [];
    RINGS.forEach(([radius], ring) => {
        for (let k = 0; k < RING_SIDES; ++k) {
            const turn = (2 * Math.PI * k) / RING_SIDES;
            position.push(reach * radius * Math.cos(turn), reach * radius * Math.sin(turn), 0);
            if (ring === 0) continue;
            const next = (k + 1) % RING_SIDES;
            const [a, b] = [ring * RING_SIDES + k, ring * RING_SIDES + next];
            index.push(a, b, a - RING_SIDES, b, b - RING_SIDES, a - RING_SIDES);
        }
    });
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(position, 3));
    geometry.setAttribute(
        "color",
        new Float32BufferAttribute(new Float32Array(position.length), 3),
    );
    geometry.setIndex(index);
    return geometry;
}

/** Colours in sRGB, at the vertices: a conversion at every pixel is expensive. */
function floorMaterial(): ShaderMaterial {
    return new ShaderMaterial({
        vertexShader: /* glsl */ `
            attribute vec3 color;
            varying vec3 vColour;
            void main() {
                vColour = color;
                gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
            }`,
        fragmentShader: /* glsl */ `
            varying vec3 vColour;
            void main() {
                gl_FragColor = vec4(vColour, 1.0);
            }`,
        depthWrite: false,
    });
}

function gridMaterial(strength: number): ShaderMaterial {
    return new ShaderMaterial({
        uniforms: { tint: { value: new Color() }, strength: { value: strength } },
        vertexShader: /* glsl */ `
            attribute vec4 color;
            varying float vAlpha;
            uniform float strength;
            void main() {
                vAlpha = strength * color.a;
                gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
            }`,
        fragmentShader: /* glsl */ `
            varying float vAlpha;
            uniform vec3 tint;
            void main() {
                gl_FragColor = vec4(tint, vAlpha);
            }`,
        transparent: true,
        depthWrite: false,
    });
}

function setSurface(geometry: BufferGeometry, palette: Palette): void {
    const colours = geometry.getAttribute("color");
    const [near, far] = [new Color(palette.ground), new Color(palette.background)];
    RINGS.forEach(([, part], ring) => {
        const { r, g, b } = near.clone().lerp(far, part).convertLinearToSRGB();
        for (let k = 0; k < RING_SIDES; ++k) colours.setXYZ(ring * RING_SIDES + k, r, g, b);
    });
    colours.needsUpdate = true;
}

interface Floor {
    group: Group;
    shape: ShapeInfo;
    isWall: boolean;
}

export class Ground {
    readonly group = new Group();
    private readonly floors: Floor[] = [];
    private readonly grid = gridLines(FLOOR_CELLS, FLOOR_PIECES);
    private readonly wallGrid = gridLines(WALL_CELLS, WALL_PIECES);
    private readonly sheet: PlaneGeometry;
    private readonly lines = gridMaterial(1);
    private readonly faint = gridMaterial(0.4);
    private readonly shadow = new ShadowMaterial({ depthWrite: false });
    private readonly band = new MeshBasicMaterial();
    private readonly rim = new MeshBasicMaterial();
    private readonly surface: BufferGeometry;
    private readonly floorMaterial = floorMaterial();
    private readonly shade = new ContactShade();
    private readonly casters: ShapeInfo[];
    private readonly casterHeights: number[]; // of a body: above, its shape has no shadow patch
    private readonly planar: boolean;
    private readonly cell: number;

    constructor(
        scene: SceneMessage,
        palette: Palette,
        private readonly centre: Vector3, // that of the image, also when it moves
        private readonly reach: number,
    ) {
        this.planar = scene.dimension === 2;
        this.surface = surface(reach);
        this.casters = scene.shapes.filter(({ kind, layer }) => kind !== "plane" && layer !== 0);
        this.casterHeights = this.casters.map(
            (shape) =>
                Math.hypot(shape.pose[0], shape.pose[1], shape.pose[2]) + 2.6 * reachOf(shape),
        );
        if (!this.planar) this.group.add(this.shade.mesh);
        this.cell = roundLength(reach / 4);
        this.sheet = this.planar
            ? new PlaneGeometry(1, 1).translate(0, -0.5, 0)
            : new PlaneGeometry(4.4 * reach, 4.4 * reach);
        this.setPalette(palette);
        for (const shape of scene.shapes) if (shape.kind === "plane") this.add(shape);
    }

    dispose(): void {
        for (const part of [
            this.grid,
            this.wallGrid,
            this.sheet,
            this.lines,
            this.faint,
            this.shadow,
            this.band,
            this.rim,
            this.surface,
            this.floorMaterial,
            this.shade,
        ])
            part.dispose();
    }

    setPalette(palette: Palette): void {
        for (const { uniforms } of [this.lines, this.faint])
            uniforms.tint.value.set(palette.grid).convertLinearToSRGB();
        this.shadow.opacity = 0.7 * palette.shadow;
        this.shade.setDarkness(palette.shadow);
        setSurface(this.surface, palette);
        this.band.color.set(palette.ground);
        this.rim.color.set(new Color(palette.fixed));
    }

    setShadows(on: boolean): void {
        this.shadow.visible = on;
    }

    private add(shape: ShapeInfo): void {
        const group = new Group();
        if (this.planar) this.addBand(group);
        else {
            const lines = new LineSegments(this.grid, this.lines);
            lines.scale.setScalar(this.cell);
            const sheet = new Mesh(this.sheet, this.shadow);
            sheet.receiveShadow = true;
            const floor = new Mesh(this.surface, this.floorMaterial);
            floor.raycast = () => {};
            floor.renderOrder = 3; // after the bodies, which cover much of it
            lines.renderOrder = -7;
            sheet.renderOrder = -4;
            group.add(lines, sheet, floor);
        }
        for (const child of group.children) child.frustumCulled = false;
        this.floors.push({ group, shape, isWall: false });
        this.group.add(group);
    }

    private addBand(group: Group): void {
        const size = 40 * this.reach;
        const width = 0.008 * this.reach;
        const band = new Mesh(this.sheet, this.band);
        band.scale.set(size, size, 1);
        band.position.y = -width;
        // Behind all bands, so that it ends where another one begins.
        const rim = new Mesh(this.sheet, this.rim);
        rim.scale.set(size, 2 * width, 1);
        rim.position.z = -0.001 * this.reach;
        group.add(band, rim);
    }

    /**
     * Planes move with their bodies. Each is drawn around its point nearest to the middle of the
     * scene.
     */
    update(poses: Float32Array): void {
        for (const floor of this.floors) {
            const { group, shape } = floor;
            const at = BODY_FLOATS * shape.body;
            const turn = new Quaternion(poses[at + 4], poses[at + 5], poses[at + 6], poses[at + 3]);
            turn.multiply(
                new Quaternion(shape.pose[4], shape.pose[5], shape.pose[6], shape.pose[3]),
            );
            const point = new Vector3(
                ...toWorld(poses, shape.body, [shape.pose[0], shape.pose[1], shape.pose[2]]),
            );
            const offset = this.centre.clone().sub(point).applyQuaternion(turn.clone().invert());
            this.snap(offset);
            group.position.copy(offset.applyQuaternion(turn)).add(point);
            group.quaternion.copy(turn);
            if (this.planar) group.position.z = -0.03 * this.reach;
            else this.fitWall(floor, turn);
        }
        if (!this.planar) this.shadeFloors(poses);
    }

    /** Moves the grid in the plane by whole cells, so that it appears fixed. */
    private snap(local: Vector3): void {
        local.x = this.cell * Math.round(local.x / this.cell);
        local.y = this.planar ? 0 : this.cell * Math.round(local.y / this.cell);
        local.z = 0;
    }

    /** Walls are faint and as large as the scene; floors reach the horizon. */
    private fitWall(floor: Floor, turn: Quaternion): void {
        const [lines, sheet, top] = floor.group.children as [LineSegments, Mesh, Mesh];
        const isWall = new Vector3(0, 0, 1).applyQuaternion(turn).z < 0.3;
        floor.isWall = isWall;
        lines.geometry = isWall ? this.wallGrid : this.grid;
        lines.scale.setScalar(
            isWall ? Math.max(this.cell, (1.5 * this.reach) / WALL_CELLS) : this.cell,
        );
        lines.material = isWall ? this.faint : this.lines;
        sheet.visible = top.visible = !isWall;
    }

    private shadeFloors(poses: Float32Array): void {
        this.shade.begin();
        const pose = new Matrix4();
        for (const { group, isWall } of this.floors) {
            if (isWall) continue;
            const axes = [0, 1, 2].map((k) =>
                new Vector3().setComponent(k, 1).applyQuaternion(group.quaternion),
            );
            const { x, y, z } = axes[2];
            const level = axes[2].dot(group.position);
            for (let k = 0; k < this.casters.length; ++k) {
                const at = BODY_FLOATS * this.casters[k].body;
                const height = poses[at] * x + poses[at + 1] * y + poses[at + 2] * z - level;
                if (height > this.casterHeights[k]) continue;
                writeShapePose(poses, this.casters[k], pose);
                this.shade.add(this.casters[k], pose, group.position, axes);
            }
        }
        this.shade.end();
    }

    /** Hides walls between the eye and the scene, which are seen from behind. */
    seenFrom(eye: Vector3): void {
        if (this.planar) return;
        for (const { group, isWall } of this.floors) {
            const normal = new Vector3(0, 0, 1).applyQuaternion(group.quaternion);
            group.visible = normal.dot(eye.clone().sub(group.position)) > 0;
            if (!isWall && !this.planar) this.shade.mesh.visible &&= group.visible;
        }
    }
}

/** The pose of a shape in the world. */
function writeShapePose(poses: Float32Array, { body, pose }: ShapeInfo, out: Matrix4): void {
    const at = BODY_FLOATS * body;
    const one = new Vector3(1, 1, 1);
    out.compose(
        new Vector3(poses[at], poses[at + 1], poses[at + 2]),
        new Quaternion(poses[at + 4], poses[at + 5], poses[at + 6], poses[at + 3]),
        one,
    );
    const inBody = new Matrix4().compose(
        new Vector3(pose[0], pose[1], pose[2]),
        new Quaternion(pose[4], pose[5], pose[6], pose[3]),
        one,
    );
    out.multiply(inBody);
}
