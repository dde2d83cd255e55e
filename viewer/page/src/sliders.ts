// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/* Rows of the panel with a slider, and the lists of them for joints and actuators. */
import { el, say } from "./dom";

const SLIDER_STEPS = 200;

/** A slider for the target of a joint or an actuator. */
export interface Target {
    name: string;
    tip: string;
    least: number;
    most: number;
    value: number;
    unit: string;
    send(value: number): void;
}

export interface Row {
    element: HTMLElement;
    input: HTMLInputElement;
    value: HTMLElement;
    note: HTMLElement; // below: the range, and further remarks
}

/** A range with its unit, for the note of a row. */
export const rangeText = (least: number, most: number, unit: string): string =>
    `${say(least)} to ${say(most)}${unit ? ` ${unit}` : ""}`;

export function slider(
    label: string,
    tip: string,
    least: number,
    most: number,
    unit: string,
    change: (value: number) => void,
): Row {
    const step = (most - least) / SLIDER_STEPS;
    const input = el("input", { type: "range", min: least, max: most, step, "aria-label": label });
    const value = el("output", { class: "row-value" });
    const note = el("span", { class: "row-note" }, rangeText(least, most, unit));
    input.addEventListener("input", () => change(Number(input.value)));
    const element = el(
        "label",
        { class: "row", title: tip },
        el("span", { class: "row-label" }, label),
        input,
        value,
        note,
    );
    return { element, input, value, note };
}

/**
 * The sliders of a section. If they are the same as before, only their values change, except that
 * of the slider in use.
 */
export class Targets {
    readonly element = el("div", { class: "rows" });
    private rows: Row[] = [];
    private key = "";

    show(targets: Target[]): void {
        const key = JSON.stringify(targets.map(({ name, least, most }) => [name, least, most]));
        if (key !== this.key) this.build(targets);
        this.key = key;
        targets.forEach(({ value, unit }, k) => {
            const { input, value: shown } = this.rows[k];
            if (input.matches(":active")) return;
            input.value = String(value);
            shown.textContent = `${say(value)} ${unit}`;
        });
    }

    /** Sets the current measurements, one text for each slider. */
    read(texts: string[]): void {
        texts.forEach((text, k) => {
            const note = this.rows[k]?.note.lastElementChild;
            if (note && note.textContent !== text) note.textContent = text;
        });
    }

    private build(targets: Target[]): void {
        this.rows = targets.map(({ name, tip, least, most, unit, send }) => {
            const row = slider(name, tip, least, most, "", (value) => {
                row.value.textContent = `${say(value)} ${unit}`;
                send(value);
            });
            row.note.append(el("span", { class: "reading" }));
            row.element.classList.add("long");
            return row;
        });
        this.element.replaceChildren(...this.rows.map(({ element }) => element));
    }
}
