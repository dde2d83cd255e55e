// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Joints: a pin at each anchor, a line for a distance joint, a short line along the axis of a
 * revolute or prismatic joint in space. Also the line of the mouse spring.
 */
import {
    BufferAttribute,
    BufferGeometry,
    Color,
    Group,
    LineBasicMaterial,
    LineSegments,
    Mesh,
    MeshBasicMaterial,
    SphereGeometry,
    Vector3,
} from "three";
import { toWorld, turned } from "./bodies";
import { Dots } from "./glyphs";
import { BODY_FLOATS, type JointInfo, type SceneMessage, type Vec3 } from "./protocol";
import type { Palette } from "./theme";

export class Joints {
    readonly group = new Group();
    private readonly pins = new Dots(8);
    private readonly lines: LineSegments;
    private readonly lineMaterial = new LineBasicMaterial({
        depthTest: false,
        transparent: true,
        opacity: 0.7,
    });
    private readonly held: JointInfo[];
    private readonly distances: JointInfo[];
    private readonly axes: JointInfo[];
    private readonly colour = new Color();
    private readonly planar: boolean;

    constructor(
        scene: SceneMessage,
        palette: Palette,
        private readonly front: number, // z of what is drawn, in planar scenes
        private readonly half: number, // length of the line along an axis
    ) {
        this.planar = scene.dimension === 2;
        this.held = scene.joints.filter((joint) => joint.kind !== "weld" && joint.b >= 0);
        this.distances = this.held.filter((joint) => joint.kind === "distance");
        this.axes = this.planar ? [] : this.held.filter(({ axisA }) => Math.hypot(...axisA) > 0);
        const lines = this.distances.length + this.axes.length;
        const points = new BufferGeometry();
        points.setAttribute("position", new BufferAttribute(new Float32Array(6 * lines), 3));
        this.lines = new LineSegments(points, this.lineMaterial);
        this.lines.frustumCulled = false;
        this.lines.renderOrder = 7;
        this.group.add(this.lines, this.pins.points);
        this.setPalette(palette);
    }

    setPalette(palette: Palette): void {
        this.colour.set(palette.pin).convertLinearToSRGB();
        this.lineMaterial.color.set(palette.pin);
    }

    dispose(): void {
        this.pins.dispose();
        this.lines.geometry.dispose();
        this.lineMaterial.dispose();
    }

    private anchor(poses: Float32Array, body: number, local: Vec3): Vec3 {
        const point = body < 0 ? ([...local] as Vec3) : toWorld(poses, body, local);
        if (this.planar) point[2] = this.front;
        return point;
    }

    /** `pixels`: the size of a pin. */
    update(poses: Float32Array, pixels: number): void {
        this.pins.begin(pixels);
        for (const joint of this.held)
            this.pins.add(new Vector3(...this.anchor(poses, joint.b, joint.anchorB)), this.colour);
        this.pins.end();
        const position = this.lines.geometry.getAttribute("position") as BufferAttribute;
        this.distances.forEach((joint, k) => {
            position.setXYZ(2 * k, ...this.anchor(poses, joint.a, joint.anchorA));
            position.setXYZ(2 * k + 1, ...this.anchor(poses, joint.b, joint.anchorB));
        });
        this.axes.forEach((joint, k) => {
            const [x, y, z] = this.anchor(poses, joint.b, joint.anchorB);
            const at = BODY_FLOATS * joint.a;
            const turn = joint.a < 0 ? [1, 0, 0, 0] : poses.subarray(at + 3, at + 7);
            const [ax, ay, az] = turned(turn, joint.axisA).map((c) => this.half * c);
            const place = 2 * (this.distances.length + k);
            position.setXYZ(place, x - ax, y - ay, z - az);
            position.setXYZ(place + 1, x + ax, y + ay, z + az);
        });
        position.needsUpdate = true;
    }
}

/** The spring between the pointer and the held body. */
export class Spring {
    readonly group = new Group();
    private readonly material = new MeshBasicMaterial({ depthTest: false, transparent: true });
    private readonly line: LineSegments;
    private readonly knob: Mesh;

    constructor() {
        const points = new BufferGeometry();
        points.setAttribute("position", new BufferAttribute(new Float32Array(6), 3));
        this.line = new LineSegments(
            points,
            new LineBasicMaterial({ depthTest: false, transparent: true }),
        );
        this.knob = new Mesh(new SphereGeometry(1, 12, 8), this.material);
        this.line.frustumCulled = this.knob.frustumCulled = false;
        this.line.renderOrder = this.knob.renderOrder = 20;
        this.group.add(this.line, this.knob);
        this.group.visible = false;
    }

    setColour(colour: number): void {
        this.material.color.set(colour);
        (this.line.material as LineBasicMaterial).color.set(colour);
    }

    show(from: Vec3, to: Vec3, radius: number): void {
        const position = this.line.geometry.getAttribute("position") as BufferAttribute;
        position.setXYZ(0, ...from);
        position.setXYZ(1, ...to);
        position.needsUpdate = true;
        this.knob.position.set(...to);
        this.knob.scale.setScalar(radius);
        this.group.visible = true;
    }

    hide(): void {
        this.group.visible = false;
    }
}
