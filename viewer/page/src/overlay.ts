// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Elements over the image: the title, the first hint, the card of the selected body, short messages
 * and the help.
 */
import { count, el, iconButton, say } from "./dom";
import { BODY_FLOATS, CONTACT_WORDS, type Frame, type SceneMessage, type Vec3 } from "./protocol";
import { jointFacts } from "./readings";

export class Title {
    private readonly heading = el("h1", {}, "Moreau");
    private readonly line = el("p", {});
    readonly element = el("header", { class: "title" }, this.heading, this.line);

    show(scene: SceneMessage): void {
        const name = scene.name.replace(/^.*[\\/]/, ""); // file name without folders
        this.heading.textContent = name || scene.title || "Recording";
        this.line.textContent = [scene.name ? scene.title : "", scene.note]
            .filter((text) => text !== "")
            .join(" · ");
        document.title = `${this.heading.textContent} – Moreau`;
    }
}

/** A hint that is shown once, until it is followed or times out. */
export class Hint {
    readonly element = el("div", { class: "hint", role: "note" });
    private timer = 0;

    show(text: string, seconds = 9): void {
        this.element.textContent = text;
        this.element.classList.add("shown");
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.hide(), 1000 * seconds);
    }

    hide(): void {
        this.element.classList.remove("shown");
    }
}

/** A short message; also for screen readers. */
export class Toast {
    readonly element = el("div", { class: "toast", role: "status", "aria-live": "polite" });
    private timer = 0;

    say(text: string, seconds = 4): void {
        this.element.textContent = text;
        this.element.classList.add("shown");
        clearTimeout(this.timer);
        if (seconds > 0) this.timer = window.setTimeout(() => this.hide(), 1000 * seconds);
    }

    hide(): void {
        this.element.classList.remove("shown");
    }
}

/** The force of the pointer on the held body, shown beside the pointer. */
export class Pull {
    readonly element = el("div", { class: "pull", hidden: true });

    /** `target`: position of the pointer in the scene; null: it holds nothing. */
    draw(target: Vec3 | null, force: number, project: (point: Vec3) => [number, number]): void {
        if (this.element.hidden !== (target === null)) this.element.hidden = target === null;
        if (!target) return;
        const [x, y] = project(target);
        this.element.style.translate = `${x + 14}px ${y - 28}px`;
        this.element.textContent = `${say(force)} N`;
    }
}

/** Properties of the selected body. */
export class Card {
    private readonly name = el("h2", {});
    private readonly facts = el("dl", {});
    readonly element: HTMLElement;
    body = -1;
    private before: { time: number; pose: Float32Array } | null = null;
    private velocity = [0, 0, 0];
    private last = 0;

    constructor(close: () => void) {
        const button = iconButton("close", "Close", close);
        this.element = el(
            "section",
            { class: "card", hidden: true, "aria-label": "Selected body" },
            el("div", { class: "card-head" }, this.name, button),
            this.facts,
        );
    }

    choose(scene: SceneMessage, body: number): void {
        this.body = body;
        this.before = null;
        this.velocity = [0, 0, 0];
        this.last = 0;
        const info = scene.bodies[body];
        this.element.hidden = !info;
        if (!info) return;
        this.name.textContent = info.name || `body ${body}`;
        this.element.scrollIntoView({ block: "nearest" }); // the panel may be scrolled
    }

    /** Its velocity, from the displacement between two frames. */
    private follow(frame: Frame): void {
        const pose = frame.bodies.slice(BODY_FLOATS * this.body, BODY_FLOATS * (this.body + 1));
        const elapsed = this.before ? frame.time - this.before.time : 0;
        if (this.before && elapsed === 0) return;
        if (this.before && elapsed > 0)
            this.velocity = [0, 1, 2].map((c) => (pose[c] - (this.before?.pose[c] ?? 0)) / elapsed);
        this.before = { time: frame.time, pose };
    }

    draw(scene: SceneMessage, frame: Frame, now: number): void {
        if (this.body < 0 || this.body >= frame.bodyCount) return;
        this.follow(frame);
        if (now - this.last < 120) return;
        this.last = now;
        const info = scene.bodies[this.body];
        const at = BODY_FLOATS * this.body;
        const planar = scene.dimension === 2;
        const vector = (x: ArrayLike<number>, from = 0) =>
            Array.from({ length: planar ? 2 : 3 }, (_, c) => fixed(x[from + c]))
                .join(" ")
                .trimStart();
        const { contacts, force, most } = forcesOn(frame, this.body);
        const facts: [string, string][] = [
            ["kind", info.kind],
            ["mass", info.mass > 0 ? `${say(info.mass)} kg` : "–"],
            ...jointFacts(this.body, scene.readings, scene.actuators, frame),
            ["position", `${vector(frame.bodies, at)} m`],
            ["velocity", `${vector(this.velocity)} m/s`],
            ["contacts", count(contacts)],
            ["contact force", `${vector(force)} N`],
            ["largest", `${say(most)} N`],
        ];
        this.facts.replaceChildren(
            ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
        );
    }
}

const fixed = (x: number): string => {
    const size = Math.abs(x);
    const digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    return (size < 5e-4 ? 0 : x).toFixed(digits).replace("-", "−").padStart(6);
};

/** Contacts with a force on a body: their number, sum and largest. */
export function forcesOn(
    frame: Frame,
    body: number,
): { contacts: number; force: [number, number, number]; most: number } {
    const force: [number, number, number] = [0, 0, 0];
    let contacts = 0;
    let most = 0;
    for (let k = 0; k < frame.contactCount; ++k) {
        const at = CONTACT_WORDS * k;
        const isB = frame.contactWords[at + 13] === body;
        if (!isB && frame.contactWords[at + 12] !== body) continue;
        contacts++;
        for (let c = 0; c < 3; ++c) force[c] += (isB ? 1 : -1) * frame.contacts[at + 6 + c];
        most = Math.max(
            most,
            Math.hypot(frame.contacts[at + 6], frame.contacts[at + 7], frame.contacts[at + 8]),
        );
    }
    return { contacts, force, most };
}

export function helpDialog(keys: [string, string][], replay: boolean): HTMLDialogElement {
    const mouse: [string, string][] = [
        ...(replay ? [] : ([["drag a body", "pull it by a spring"]] as [string, string][])),
        ["click a body", "select: properties and contact forces"],
        ["drag elsewhere", "turn the view (planar scenes: move it)"],
        ["right drag, two fingers", "move the view"],
        ["wheel, pinch", "nearer, further"],
    ];
    const table = (rows: [string, string][], cell: "kbd" | "span") =>
        el(
            "table",
            {},
            ...rows.map(([what, does]) =>
                el("tr", {}, el("th", { scope: "row" }, el(cell, {}, what)), el("td", {}, does)),
            ),
        );
    const halves = [
        keys.slice(0, Math.ceil(keys.length / 2)),
        keys.slice(Math.ceil(keys.length / 2)),
    ];
    const dialog: HTMLDialogElement = el(
        "dialog",
        { class: "help", "aria-label": "Help" },
        el(
            "div",
            { class: "card-head" },
            el("h2", {}, "Mouse, fingers and keys"),
            iconButton("close", "Close", () => dialog.close()),
        ),
        el(
            "div",
            { class: "help-tables" },
            table(mouse, "span"),
            ...halves.map((half) => table(half, "kbd")),
        ),
    );
    dialog.addEventListener("click", (event) => {
        if (event.target === dialog) dialog.close();
    });
    return dialog;
}
