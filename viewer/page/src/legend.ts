// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/* The legend of contacts: numbers of sticking, sliding and open ones, and a force scale. */
import type { ContactView, ScaleBar } from "./contacts";
import { count, el, say } from "./dom";
import { CONTACT_WORDS, MODE_SLIDES, MODE_STICKS, type Frame } from "./protocol";

const CHAIN_PIXELS = 36; // length of the sample of a chain

/** The numbers of open, sticking and sliding contacts. */
export function countModes(frame: Frame): [number, number, number] {
    const modes: [number, number, number] = [0, 0, 0];
    for (let k = 0; k < frame.contactCount; ++k) {
        const mode = frame.contactWords[CONTACT_WORDS * k + 11];
        modes[mode === MODE_STICKS || mode === MODE_SLIDES ? mode : 0]++;
    }
    return modes;
}

export class Legend {
    private readonly counts = [0, 1, 2].map(() => el("span", { class: "legend-count" }));
    private readonly sample = el("div", { class: "scale-bar" });
    private readonly label = el("span", { class: "legend-scale" });
    private readonly scale = el("div", { class: "legend-row" }, this.sample, this.label);
    readonly element: HTMLElement;
    private last = 0;

    constructor() {
        const row = (mode: number, word: string) =>
            el(
                "div",
                { class: "legend-row" },
                el("span", { class: `dot mode-${mode}` }),
                el("span", {}, word),
                this.counts[mode],
            );
        this.element = el(
            "div",
            { class: "legend", hidden: true, "aria-label": "Contacts by mode" },
            row(1, "sticking"),
            row(2, "sliding"),
            row(0, "open (no force)"),
            this.scale,
        );
    }

    draw(
        frame: Frame,
        view: ContactView,
        bar: ScaleBar | null,
        stage: { pixelsOf(length: number): number },
        now: number,
    ): void {
        this.element.hidden = !(view.points || view.forces || view.cones);
        if (this.element.hidden || now - this.last < 150) return;
        this.last = now;
        countModes(frame).forEach((n, mode) => (this.counts[mode].textContent = count(n)));
        this.scale.hidden = bar === null;
        if (!bar) return;
        const pixels = stage.pixelsOf(bar.length);
        this.sample.classList.toggle("chain", bar.chains);
        this.sample.style.width = `${bar.chains ? CHAIN_PIXELS : Math.min(pixels, 220)}px`;
        this.sample.style.height = bar.chains ? `${Math.max(1, Math.min(pixels, 40))}px` : "";
        const how = bar.chains ? " (width)" : view.scale === "log" ? ", log scale" : "";
        this.label.textContent = `${say(bar.force)} N${how}`;
    }
}
