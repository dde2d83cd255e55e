// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Planes, which have no end.  In space: the lines of a grid, which fade into the background, and a
 * sheet that catches shadows.  There is no filled floor: it would have the colour of the
 * background, and filling the window costs most of a picture where the processor draws.  In planar
 * scenes: a half-plane as a broad band.
 */
import {
    BufferGeometry,
    Color,
    Float32BufferAttribute,
    Group,
    LineBasicMaterial,
    LineSegments,
    Mesh,
    MeshBasicMaterial,
    PlaneGeometry,
    Quaternion,
    ShadowMaterial,
    Vector3,
} from "three";
import { toWorld } from "./bodies";
import { BODY_FLOATS, type SceneMessage, type ShapeInfo } from "./protocol";
import type { Palette } from "./theme";

/* Cells from the middle to each side, and pieces of a line, between which it fades. */
const FLOOR_CELLS = 20;
const FLOOR_PIECES = 10;
const WALL_CELLS = 5;
const WALL_PIECES = 4;

/** A power of ten, or twice or five times one, near x. */
export function roundLength(x: number): number {
    const power = 10 ** Math.floor(Math.log10(x));
    const digit = x / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

/** The lines of a grid of unit cells in z = 0; their alpha falls from the middle to nothing. */
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

interface Floor {
    group: Group;
    shape: ShapeInfo;
}

export class Ground {
    readonly group = new Group();
    private readonly floors: Floor[] = [];
    private readonly grid = gridLines(FLOOR_CELLS, FLOOR_PIECES);
    private readonly wallGrid = gridLines(WALL_CELLS, WALL_PIECES);
    private readonly sheet: PlaneGeometry;
    private readonly lines = new LineBasicMaterial({
        vertexColors: true,
        transparent: true,
        depthWrite: false,
    });
    private readonly faint = new LineBasicMaterial({
        vertexColors: true,
        transparent: true,
        depthWrite: false,
        opacity: 0.4,
    });
    private readonly shadow = new ShadowMaterial({ depthWrite: false });
    private readonly band = new MeshBasicMaterial();
    private readonly rim = new MeshBasicMaterial();
    private readonly planar: boolean;
    private readonly cell: number;

    constructor(
        scene: SceneMessage,
        palette: Palette,
        private readonly centre: Vector3, // that of the picture, also when it moves
        private readonly reach: number,
    ) {
        this.planar = scene.dimension === 2;
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
        ])
            part.dispose();
    }

    setPalette(palette: Palette): void {
        this.lines.color.set(palette.grid);
        this.faint.color.set(palette.grid);
        this.shadow.opacity = palette.shadow;
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
            sheet.renderOrder = -1;
            lines.renderOrder = -2;
            group.add(lines, sheet);
        }
        for (const child of group.children) child.frustumCulled = false;
        this.floors.push({ group, shape });
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
     * Planes move with their bodies; each is drawn around the point of it that is nearest to the
     * middle of the scene.
     */
    update(poses: Float32Array): void {
        for (const { group, shape } of this.floors) {
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
            else this.fitWall(group, turn);
        }
    }

    /** Into the plane, by whole cells, so that the grid stays where it is. */
    private snap(local: Vector3): void {
        local.x = this.cell * Math.round(local.x / this.cell);
        local.y = this.planar ? 0 : this.cell * Math.round(local.y / this.cell);
        local.z = 0;
    }

    /** Walls are faint and as large as the scene, floors go to the horizon. */
    private fitWall(group: Group, turn: Quaternion): void {
        const [lines, sheet] = group.children as [LineSegments, Mesh];
        const isWall = new Vector3(0, 0, 1).applyQuaternion(turn).z < 0.3;
        lines.geometry = isWall ? this.wallGrid : this.grid;
        lines.scale.setScalar(
            isWall ? Math.max(this.cell, (1.5 * this.reach) / WALL_CELLS) : this.cell,
        );
        lines.material = isWall ? this.faint : this.lines;
        sheet.visible = !isWall;
    }

    /** Walls between the eye and the scene, which are seen from behind, are left out. */
    seenFrom(eye: Vector3): void {
        if (this.planar) return;
        for (const { group } of this.floors) {
            const normal = new Vector3(0, 0, 1).applyQuaternion(group.quaternion);
            group.visible = normal.dot(eye.clone().sub(group.position)) > 0;
        }
    }
}
