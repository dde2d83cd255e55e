// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/* The drawn objects of one scene. */
import { Bodies, drawnShapes, isMovable, reachOf, thicknessOf } from "./bodies";
import { Contacts } from "./contacts";
import { Ground } from "./ground";
import { Joints } from "./joints";
import type { SceneMessage } from "./protocol";
import { layerDepth } from "./shapes";
import type { Stage } from "./stage";
import type { Palette } from "./theme";

/** The drawn objects of one scene; built again for each scene message. */
export interface Props {
    bodies: Bodies;
    ground: Ground;
    contacts: Contacts;
    joints: Joints;
    bodyRadius: number;
    front: number; // z before all plates of a planar scene
}

const medianOf = (values: number[]): number | undefined =>
    values.sort((a, b) => a - b)[values.length >> 1];

/** With `collision`: collision shapes instead of visual shapes. */
export function makeProps(
    scene: SceneMessage,
    palette: Palette,
    stage: Stage,
    collision: boolean,
): Props {
    const thickness = stage.thickness();
    const shapes = drawnShapes(scene, collision);
    const moving = shapes.filter((shape) => isMovable(scene.bodies[shape.body]));
    const bodyRadius = medianOf(moving.map(reachOf)) ?? 0.1 * stage.reach;
    const thin = medianOf(moving.map(thicknessOf)) ?? 0.1 * stage.reach;
    const layers = Math.max(0, ...scene.shapes.map((shape) => layerDepth(shape.layer)));
    const front = 1.5 * thickness * layers + thickness;
    return {
        bodies: new Bodies(scene, palette, thickness, shapes),
        ground: new Ground(scene, palette, stage.controls.target, stage.reach),
        contacts: new Contacts(scene, palette, stage.reach, front, thin),
        joints: new Joints(scene, palette, front, 0.05 * stage.reach),
        bodyRadius,
        front,
    };
}
