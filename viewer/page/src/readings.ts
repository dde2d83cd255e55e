// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/* Readings of a robot: joint coordinates, actuator efforts and sensors, as texts of the panel. */
import { el, say } from "./dom";
import type { ActuatorInfo, Frame, ReadingInfo } from "./protocol";

const NOISE = 1e-9; // in any unit: less is rounding

/** A reading with its unit; "" if there is none. */
export function readingText(readings: ReadingInfo[], frame: Frame, k: number): string {
    if (!(k >= 0 && k < readings.length && k < frame.readings.length)) return "";
    const value = Math.abs(frame.readings[k]) < NOISE ? 0 : frame.readings[k];
    return readings[k].unit ? `${say(value)} ${readings[k].unit}` : say(value);
}

/** The text below the slider of an actuator: position of the joint, and effort. */
export function actuatorText(one: ActuatorInfo, readings: ReadingInfo[], frame: Frame): string {
    const q = readingText(readings, frame, one.q);
    const effort = readingText(readings, frame, one.effort);
    const name = readings[one.q]?.kind === "length" ? "length" : "q";
    return [q && `${name} ${q}`, effort && `effort ${effort}`].filter(Boolean).join(" · ");
}

/** Joints on the card of a body: coordinates and efforts. */
export function jointFacts(
    body: number,
    readings: ReadingInfo[],
    actuators: ActuatorInfo[],
    frame: Frame,
): [string, string][] {
    const facts: [string, string][] = [];
    readings.forEach(({ kind, name, body: moved }, k) => {
        if (kind !== "q" || moved !== body) return;
        facts.push([`q of ${name}`, readingText(readings, frame, k)]);
        for (const one of actuators)
            if (one.q === k)
                facts.push([`effort of ${one.name}`, readingText(readings, frame, one.effort)]);
    });
    return facts;
}

/** The sensors of a robot: a row for each number. */
export class Readings {
    readonly element = el("dl", { class: "readings" });
    private readings: ReadingInfo[] = [];
    private shown: { place: number; value: HTMLElement }[] = [];

    /** Whether there are any. */
    show(readings: ReadingInfo[]): boolean {
        const key = (list: ReadingInfo[]) => JSON.stringify(list);
        if (key(readings) !== key(this.readings)) {
            this.shown = [];
            this.element.replaceChildren();
            readings.forEach(({ kind, name }, place) => {
                if (kind !== "sensor") return;
                const value = el("dd", {});
                this.element.append(el("dt", { title: name }, name), value);
                this.shown.push({ place, value });
            });
        }
        this.readings = readings;
        return this.shown.length > 0;
    }

    draw(frame: Frame): void {
        for (const { place, value } of this.shown) {
            const text = readingText(this.readings, frame, place);
            if (value.textContent !== text) value.textContent = text;
        }
    }
}
