// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/* Rows of the panel with a slider, and the lists of them for joints and actuators. */
import { el, say } from "./dom";

const SLIDER_STEPS = 200;

/** A slider for what a joint or an actuator aims at. */
export interface Target {
    name: string;
    tip: string;
    least: number;
    most: number;
    value: number;
    send(value: number): void;
}

export interface Row {
    element: HTMLElement;
    input: HTMLInputElement;
    value: HTMLElement;
}

export function slider(
    label: string,
    tip: string,
    least: number,
    most: number,
    whole: boolean,
    change: (value: number) => void,
): Row {
    const step = whole ? 1 : (most - least) / SLIDER_STEPS;
    const input = el("input", { type: "range", min: least, max: most, step, "aria-label": label });
    const value = el("output", { class: "row-value" });
    input.addEventListener("input", () => change(Number(input.value)));
    const element = el(
        "label",
        { class: "row", title: tip },
        el("span", { class: "row-label" }, label),
        input,
        value,
    );
    return { element, input, value };
}

/**
 * The sliders of a section; where they are the same as before only their values change, and the one
 * that is being pulled at stays.
 */
export class Targets {
    readonly element = el("div", { class: "rows" });
    private rows: Row[] = [];
    private key = "";

    show(targets: Target[]): void {
        const key = JSON.stringify(targets.map(({ name, least, most }) => [name, least, most]));
        if (key !== this.key) this.build(targets);
        this.key = key;
        targets.forEach(({ value }, k) => {
            const { input, value: shown } = this.rows[k];
            if (input.matches(":active")) return;
            input.value = String(value);
            shown.textContent = say(value);
        });
    }

    private build(targets: Target[]): void {
        this.rows = targets.map(({ name, tip, least, most, send }) => {
            const row = slider(name, tip, least, most, false, (value) => {
                row.value.textContent = say(value);
                send(value);
            });
            row.element.classList.toggle(
                "long",
                targets.some((target) => target.name.length > 11),
            );
            return row;
        });
        this.element.replaceChildren(...this.rows.map(({ element }) => element));
    }
}
