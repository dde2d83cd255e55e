// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Rules for drawing contact forces: the body, the length, and the threshold.
 *
 * A contact has two opposite forces, of which one is drawn: the one on the selected body; otherwise
 * on the body that can move; otherwise on the upper body, by the normal; and if the normal is
 * level, on the later body of the scene. viewer/frames/forces.c has the same rule for `moreau
 * render`.
 *
 * The length of an arrow is linear, L F / F0, or logarithmic, L log(1 + 9 F / F0) / log 10, with F0
 * the largest force, followed slowly so that the scale does not jump.
 */
import { CONTACT_WORDS, type Frame, type Vec3 } from "./protocol";

export type ForceScale = "linear" | "log";

export const CHAINS_ABOVE = 300; // contacts: force chains replace arrows
const LEVEL = 0.05; // sine of the angle below which a normal is level

/** 1: the force on b is shown, -1: the one on a; `rise` is the upward part of the normal a to b. */
export function shownSide(
    a: number,
    b: number,
    rise: number,
    movable: boolean[],
    selected: number,
): 1 | -1 {
    if (selected === b) return 1;
    if (selected === a) return -1;
    if (movable[a] !== movable[b]) return movable[b] ? 1 : -1;
    if (Math.abs(rise) > LEVEL) return rise > 0 ? 1 : -1;
    return b > a ? 1 : -1;
}

/** The direction against gravity; without gravity there is no upper body. */
export function upwards(gravity: Vec3): Vec3 {
    const g = Math.hypot(...gravity);
    return g > 0 ? [-gravity[0] / g, -gravity[1] / g, -gravity[2] / g] : [0, 0, 0];
}

/** A power of ten, or twice or five times one, at most x. */
export function roundBelow(x: number): number {
    const power = 10 ** Math.floor(Math.log10(x));
    const digit = x / power;
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

/** F0, the largest force, and the scale that depends on it. */
export class ForceScaling {
    reference = 0; // N

    /** Rises quickly to a larger force and falls slowly to a smaller one. */
    follow(frame: Frame): void {
        let largest = 0;
        for (let k = 0; k < frame.contactCount; ++k) {
            const at = CONTACT_WORDS * k + 6;
            const x = frame.contacts[at];
            const y = frame.contacts[at + 1];
            const z = frame.contacts[at + 2];
            largest = Math.max(largest, x * x + y * y + z * z);
        }
        largest = Math.sqrt(largest);
        const share = largest > this.reference ? 0.3 : 0.02;
        this.reference =
            this.reference > 0 ? this.reference + share * (largest - this.reference) : largest;
    }

    /** A force as a part of F0, at most 3. */
    part(force: number): number {
        return Math.min(force / Math.max(this.reference, 1e-30), 3);
    }

    /** The length of an arrow as a part of that of F0. */
    length(force: number, scale: ForceScale): number {
        const part = this.part(force);
        return scale === "log" ? Math.log10(1 + 9 * part) : part;
    }
}
