// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Renderer, light and camera. Scenes in space are shown in perspective with z up; planar scenes
 * from the front, without perspective, with y up.
 *
 * An image is drawn only after a change. If images are too slow, quality is reduced step by step:
 * first shadows, then resolution.
 */
import {
    Box3,
    DirectionalLight,
    HemisphereLight,
    Matrix4,
    MOUSE,
    OrthographicCamera,
    PCFShadowMap,
    PerspectiveCamera,
    Raycaster,
    Scene,
    TOUCH,
    Vector2,
    Vector3,
    WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Ball } from "./framing";
import type { Lens } from "./hidden";
import { SUN_PLANE, SUN_SPACE } from "./plain";
import type { SceneMessage, Vec3 } from "./protocol";
import { Sky } from "./sky";
import type { Palette } from "./theme";

const FIELD_OF_VIEW = 32;
const BAR_PIXELS = 60; // covered at the bottom
const VIEW_DIRECTION = new Vector3(0.62, -1, 0.42).normalize();
const SHADOW_BODIES = 3000; // at most this number casts shadows
/* An image that takes longer than this is slow; after several slow ones quality is reduced. */
const SLOW_MS = 21;
const SLOW_PICTURES = 12;
/* Reduced resolutions, in pixels of the canvas per pixel of the page. */
const RESOLUTIONS = [1, 0.8, 0.65, 0.5];

/**
 * Whether rendering is in software. Called before the renderer is created, since antialiasing is
 * chosen then.
 */
function drawsInSoftware(): boolean {
    const context = document.createElement("canvas").getContext("webgl2");
    if (!context) throw new Error("there is no WebGL 2");
    const info = context.getExtension("WEBGL_debug_renderer_info");
    const name = String(
        context.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : context.RENDERER),
    );
    context.getExtension("WEBGL_lose_context")?.loseContext();
    return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class Stage {
    readonly scene = new Scene();
    readonly renderer: WebGLRenderer;
    readonly software: boolean;
    readonly controls: OrbitControls;
    camera: PerspectiveCamera | OrthographicCamera;
    centre = new Vector3();
    reach = 1;
    readonly thickness = () => 0.03 * this.reach; // of the plates of planar scenes
    private readonly perspective = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1000);
    private readonly parallel = new OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
    private readonly sun = new DirectionalLight(0xffffff, 2);
    private readonly sky = new HemisphereLight(0xffffff, 0xcccccc, 1);
    private readonly backdrop = new Sky();
    private readonly raycaster = new Raycaster();
    private dirty = true;
    private inset = 0; // pixels covered at the right
    private below = BAR_PIXELS; // and at the bottom
    private above = 0; // and at the top
    private slow = 0;
    private tired = false; // shadows were too slow here
    /** Called when shadows are turned off or on automatically. */
    onShadows: (on: boolean) => void = () => {};
    private resolution = 0; // in RESOLUTIONS; -1: that of the screen
    private readonly seenBy = [new Matrix4(), new Matrix4()]; // view and lens of the last image
    private fits = false; // the canvas has the correct size
    adaptive = true;

    /** With insist: full quality at any cost. */
    constructor(
        readonly canvas: HTMLCanvasElement,
        private readonly insist: boolean,
    ) {
        this.software = !insist && drawsInSoftware();
        this.renderer = new WebGLRenderer({
            canvas,
            antialias: !this.software,
            powerPreference: "high-performance",
        });
        this.resolution = this.software ? 0 : -1;
        this.renderer.shadowMap.type = PCFShadowMap;
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.setScalar(this.software ? 1024 : insist ? 4096 : 2048);
        this.scene.add(this.sun, this.sun.target, this.sky, this.backdrop.mesh);
        this.perspective.up.set(0, 0, 1);
        this.camera = this.perspective;
        this.controls = new OrbitControls(this.perspective, canvas);
        this.controls.zoomToCursor = true;
        this.controls.addEventListener("change", () => this.invalidate());
        new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? canvas);
    }

    invalidate(): void {
        this.dirty = true;
    }

    // ---- light ----------------------------------------------------------------------------------

    setPalette(palette: Palette): void {
        this.backdrop.setPalette(palette);
        this.renderer.setClearColor(palette.background);
        this.sky.color.set(palette.sky);
        this.sky.groundColor.set(palette.bounce);
        this.sky.intensity = palette.skyStrength;
        this.sun.intensity = palette.sunStrength;
        this.sun.shadow.intensity = Math.min(1, 2 * palette.shadow);
        this.invalidate();
    }

    /** Sets whether the user wants shadows, and the number of bodies that cast them. */
    setShadows(wanted: boolean, bodyCount: number): void {
        this.slow = 0;
        this.applyShadows(wanted && (this.insist || (bodyCount <= SHADOW_BODIES && !this.tired)));
    }

    /** Tries shadows again at the user's request. */
    forgive(): void {
        this.tired = false;
    }

    get shadows(): boolean {
        return this.sun.castShadow;
    }

    private applyShadows(on: boolean): void {
        this.renderer.shadowMap.enabled = on;
        this.sun.castShadow = on;
        this.onShadows(on);
        this.invalidate();
    }

    private placeSun(planar: boolean): void {
        const { reach } = this;
        // direction of its light
        this.sky.position.copy(planar ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1));
        this.sun.position
            .copy(this.centre)
            .addScaledVector(planar ? SUN_PLANE : SUN_SPACE, 4 * reach);
        this.sun.target.position.copy(this.centre);
        const box = this.sun.shadow.camera;
        box.left = box.bottom = -2.2 * reach;
        box.right = box.top = 2.2 * reach;
        box.near = 0.5 * reach;
        box.far = 9 * reach;
        box.updateProjectionMatrix();
        this.sun.shadow.normalBias = 0.006 * reach;
        this.sun.shadow.bias = -0.0008;
        this.sun.shadow.radius = 2.5;
    }

    // ---- camera ---------------------------------------------------------------------------------

    /** The first view of a scene; the framing fills the image at the first frame. */
    lookAtScene(scene: SceneMessage): void {
        const { centre, size } = scene.camera ?? { centre: [0, 0, 0] as Vec3, size: 1 };
        this.lookAt(centre, size, scene.dimension === 2);
    }

    /** The first view of a ball around the movable bodies. */
    lookAt(centre: Vec3, size: number, planar: boolean): void {
        this.centre.set(...centre);
        this.reach = Math.max(size, 1e-6);
        this.placeSun(planar);
        this.camera = planar ? this.parallel : this.perspective;
        const { controls, reach } = this;
        controls.object = this.camera;
        controls.enableRotate = !planar;
        controls.mouseButtons = {
            LEFT: planar ? MOUSE.PAN : MOUSE.ROTATE,
            MIDDLE: MOUSE.DOLLY,
            RIGHT: MOUSE.PAN,
        };
        controls.touches = {
            ONE: planar ? TOUCH.PAN : TOUCH.ROTATE,
            TWO: planar ? TOUCH.DOLLY_PAN : TOUCH.DOLLY_PAN,
        };
        controls.maxDistance = 60 * reach;
        controls.minDistance = 0.05 * reach;
        controls.minZoom = 0.02;
        controls.maxZoom = 60;
        controls.target.copy(this.centre);
        if (planar) {
            this.camera.position.set(this.centre.x, this.centre.y, 10 * reach);
            this.parallel.near = 0;
            this.parallel.far = 100 * reach;
            this.parallel.zoom = 1;
        } else {
            const distance = (1.12 * reach) / Math.sin((FIELD_OF_VIEW * Math.PI) / 360);
            this.camera.position.copy(this.centre).addScaledVector(VIEW_DIRECTION, distance);
            this.perspective.near = 0.02 * reach;
            this.perspective.far = 120 * reach;
        }
        this.resize();
        controls.update();
    }

    /** Tangents of half the visible part of the image, to the sides and upwards. */
    private tangents(): [number, number] {
        const tangent = Math.tan((this.perspective.fov * Math.PI) / 360);
        const [width, height] = this.size();
        return [
            tangent * this.perspective.aspect * (1 - this.inset / width),
            tangent * (1 - (this.below + this.above) / height),
        ];
    }

    /** The axes of the image: right, up, towards the eye. */
    axes(): Vector3[] {
        this.camera.updateMatrixWorld();
        return [0, 1, 2].map((column) =>
            new Vector3().setFromMatrixColumn(this.camera.matrixWorld, column),
        );
    }

    /** Whether balls (x, y, z, radius) are in the visible part of the image. */
    sees(balls: Ball[]): boolean {
        const [right, above, back] = this.axes();
        const [tx, ty] = this.tangents();
        return balls.every(([x, y, z, radius]) => {
            const p = new Vector3(x, y, z).sub(this.camera.position);
            const depth = this.camera === this.parallel ? this.viewDistance() : -p.dot(back);
            return (
                Math.abs(p.dot(right)) + radius < depth * tx &&
                Math.abs(p.dot(above)) + radius < depth * ty
            );
        });
    }

    /**
     * Moves part of the way to where the balls just fill the image, and more if it is far; returns
     * the remaining way relative to the distance.
     */
    approach(balls: Ball[], part: number): number {
        const axes = this.axes();
        const [right, above, back] = axes;
        const box = new Box3();
        for (const [x, y, z, radius] of balls) {
            const p = new Vector3(x, y, z);
            const local = new Vector3(p.dot(right), p.dot(above), p.dot(back));
            box.expandByPoint(local.clone().subScalar(radius)).expandByPoint(
                local.addScalar(radius),
            );
        }
        const middle = box.getCenter(new Vector3());
        const target = new Vector3()
            .addScaledVector(right, middle.x)
            .addScaledVector(above, middle.y)
            .addScaledVector(back, middle.z);
        const [tx, ty] = this.tangents().map((tangent) => 0.86 * tangent);
        // A point at depth D - z appears at x / (D - z): the least D for which all are inside.
        let distance = 0;
        for (const [x, y, z, radius] of balls) {
            const p = new Vector3(x, y, z).sub(target);
            const depth = this.camera === this.parallel ? 0 : p.dot(back);
            distance = Math.max(
                distance,
                (Math.abs(p.dot(right)) + radius) / tx + depth,
                (Math.abs(p.dot(above)) + radius) / ty + depth,
            );
        }
        const before = this.viewDistance();
        const off =
            Math.abs(Math.log(distance / before)) +
            target.distanceTo(this.controls.target) / distance;
        if (!Number.isFinite(off)) return 0;
        const way = Math.max(part, off / (1 + off));
        this.controls.target.lerp(target, way);
        this.setViewDistance(before * (distance / before) ** way, back);
        return off;
    }

    /** From the eye to the target; without perspective, the equivalent distance. */
    private viewDistance(): number {
        if (this.camera !== this.parallel)
            return this.camera.position.distanceTo(this.controls.target);
        return (
            this.parallel.top /
            this.parallel.zoom /
            Math.tan((this.perspective.fov * Math.PI) / 360)
        );
    }

    private setViewDistance(distance: number, back: Vector3): void {
        const { target } = this.controls;
        if (this.camera === this.parallel) {
            this.parallel.zoom =
                this.parallel.top / (distance * Math.tan((this.perspective.fov * Math.PI) / 360));
            this.camera.position.copy(target).addScaledVector(back, 10 * this.reach);
            this.parallel.updateProjectionMatrix();
        } else this.camera.position.copy(target).addScaledVector(back, distance);
        this.controls.update();
        this.invalidate();
    }

    /**
     * Sets the covered pixels at the right, the bottom and the top, and centres the view in the
     * rest.
     */
    setInset(right: number, below: number, above: number): void {
        this.inset = right;
        this.below = below + BAR_PIXELS;
        this.above = above;
        this.resize();
    }

    /** The camera as numbers, for a link: position, target, zoom. */
    cameraNumbers(): number[] {
        return [
            ...this.camera.position.toArray(),
            ...this.controls.target.toArray(),
            this.camera.zoom,
        ];
    }

    setCameraNumbers(numbers: number[]): void {
        if (numbers.length !== 7 || numbers.some((x) => !Number.isFinite(x))) return;
        this.camera.position.set(numbers[0], numbers[1], numbers[2]);
        this.controls.target.set(numbers[3], numbers[4], numbers[5]);
        this.camera.zoom = Math.max(1e-3, numbers[6]);
        this.camera.updateProjectionMatrix();
        this.controls.update();
        this.invalidate();
    }

    private size(): [number, number] {
        const parent = this.canvas.parentElement;
        return [Math.max(1, parent?.clientWidth ?? 1), Math.max(1, parent?.clientHeight ?? 1)];
    }

    /** Only before an image, since a new size clears the canvas. */
    private fitCanvas(): void {
        if (this.fits) return;
        this.fits = true;
        const ratio =
            this.resolution < 0 ? Math.min(2, devicePixelRatio) : RESOLUTIONS[this.resolution];
        this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(...this.size());
    }

    private resize(): void {
        const [width, height] = this.size();
        this.fits = false;
        const aspect = width / height;
        this.perspective.aspect = aspect;
        // A tall window shows as much to the sides as a square one.
        const tangent = Math.tan((FIELD_OF_VIEW * Math.PI) / 360) / Math.min(1, aspect);
        this.perspective.fov = (360 / Math.PI) * Math.atan(tangent);
        this.perspective.updateProjectionMatrix();
        const half = 1.25 * this.reach;
        const [x, y] = aspect > 1 ? [half * aspect, half] : [half, half / aspect];
        Object.assign(this.parallel, { left: -x, right: x, top: y, bottom: -y });
        this.parallel.updateProjectionMatrix();
        for (const camera of [this.perspective, this.parallel])
            camera.setViewOffset(
                width,
                height,
                this.inset / 2,
                (this.below - this.above) / 2,
                width,
                height,
            );
        this.invalidate();
    }

    // ---- images ---------------------------------------------------------------------------------

    /** Draws if something has changed; `prepare` runs before. */
    draw(prepare: (eye: Vector3, way: Vector3, lens: Lens) => void): boolean {
        if (!this.dirty) return false;
        this.dirty = false;
        this.fitCanvas();
        const way = this.camera.getWorldDirection(new Vector3()); // updates its matrices
        prepare(this.camera.position, way, this.look());
        this.backdrop.follow(this.camera, this.camera === this.parallel);
        this.renderer.render(this.scene, this.camera);
        return true;
    }

    /**
     * Measures consecutive images, and reduces quality if they are slow.
     */
    paced(milliseconds: number): void {
        if (this.insist || document.visibilityState !== "visible") return;
        this.slow = Math.max(0, this.slow + (milliseconds > SLOW_MS ? 1 : -0.5));
        if (this.slow < SLOW_PICTURES) return;
        this.slow = 0;
        if (this.sun.castShadow) {
            this.tired = true;
            this.applyShadows(false);
        } else if (this.resolution < RESOLUTIONS.length - 1) {
            this.resolution++;
            this.resize();
        }
    }

    /** The current view, and whether it differs from that of the previous image. */
    look(): Lens {
        const { matrixWorldInverse: view, projectionMatrix: lens } = this.camera;
        const changed = !this.seenBy[0].equals(view) || !this.seenBy[1].equals(lens);
        this.seenBy[0].copy(view);
        this.seenBy[1].copy(lens);
        return { view, lens, changed };
    }

    screenshot(done: (blob: Blob | null) => void): void {
        this.fitCanvas();
        this.renderer.render(this.scene, this.camera);
        this.canvas.toBlob(done, "image/png");
    }

    // ---- between the screen and the world -------------------------------------------------------

    /** The ray through a point of the window. */
    rayAt(clientX: number, clientY: number): Raycaster {
        const box = this.canvas.getBoundingClientRect();
        const at = new Vector2(
            (2 * (clientX - box.left)) / box.width - 1,
            1 - (2 * (clientY - box.top)) / box.height,
        );
        this.raycaster.setFromCamera(at, this.camera);
        return this.raycaster;
    }

    /** Pixels of the page per length, at the target of the camera. */
    pixelsOf(length: number): number {
        const [, high] = this.size();
        if (this.camera === this.parallel)
            return (
                (length * high * this.parallel.zoom) / (this.parallel.top - this.parallel.bottom)
            );
        const distance = this.camera.position.distanceTo(this.controls.target);
        return (length * high) / (2 * distance * Math.tan((this.perspective.fov * Math.PI) / 360));
    }

    /** The position of a point of the world in the window. */
    project(point: Vec3): [number, number] {
        const box = this.canvas.getBoundingClientRect();
        const at = new Vector3(...point).project(this.camera);
        return [box.left + (0.5 + at.x / 2) * box.width, box.top + (0.5 - at.y / 2) * box.height];
    }
}
