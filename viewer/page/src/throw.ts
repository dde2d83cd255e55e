// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * A ball thrown into the scene: in space from the eye through the pointer, in planar scenes from
 * the upper left towards it.
 */
import { Vector3, type Ray } from "three";
import type { SceneMessage, Vec3, Command } from "./protocol";

/** `reach` is the size of the scene around `centre`, `bodyRadius` that of its bodies. */
export function throwAlong(
    ray: Ray,
    scene: SceneMessage,
    centre: Vector3,
    reach: number,
    bodyRadius: number,
): Command {
    const gravity = Math.max(Math.hypot(...scene.gravity), 1);
    const speed = 4 * Math.sqrt(gravity * reach); // falls little on its way
    const radius = Math.min(Math.max(bodyRadius, 0.04 * reach), 0.12 * reach);
    let from: Vector3;
    let way: Vector3;
    if (scene.dimension === 2) {
        from = new Vector3(centre.x - 1.3 * reach, centre.y + 0.7 * reach, 0);
        way = new Vector3(ray.origin.x, ray.origin.y, 0).sub(from).normalize();
    } else {
        way = ray.direction.clone();
        const distance = Math.max(0, ray.origin.distanceTo(centre) - 1.8 * reach);
        from = ray.origin.clone().addScaledVector(way, distance);
    }
    return {
        do: "throw",
        from: from.toArray() as Vec3,
        velocity: way.multiplyScalar(speed).toArray() as Vec3,
        radius,
    };
}
