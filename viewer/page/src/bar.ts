// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/* The bar at the bottom: play, step, speed; in a replay also the time line. */
import { el, iconButton, returnFocus, setIcon } from "./dom";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];

export interface BarEvents {
    play(): void;
    step(): void;
    back(): void;
    reset(): void;
    speed(value: number): void;
    throwBall(): void;
    seek(time: number): void;
    loop(): void;
}

export class Bar {
    readonly element: HTMLElement;
    private readonly playButton: HTMLButtonElement;
    private readonly speedSelect = el("select", {
        class: "speed",
        "aria-label": "Speed",
        title: "Speed ([ and ])",
    });
    private readonly line = el("input", {
        type: "range",
        class: "time-line",
        min: 0,
        max: 1,
        step: "any",
        value: 0,
        "aria-label": "Time",
    });
    private readonly clock = el("span", { class: "bar-clock" });
    private readonly loopButton: HTMLButtonElement;
    private end = 1;
    private speedNow = 1;

    constructor(
        private readonly events: BarEvents,
        replay: boolean,
    ) {
        this.playButton = iconButton("play", "Play (space)", events.play);
        this.playButton.classList.add("play");
        this.loopButton = iconButton(
            "loop",
            replay ? "Play again at the end (o)" : "Start again when it has come to rest (o)",
            events.loop,
        );
        returnFocus(this.speedSelect);
        this.speedSelect.addEventListener("change", () =>
            events.speed(Number(this.speedSelect.value)),
        );
        this.line.addEventListener("input", () => events.seek(Number(this.line.value)));
        const step = iconButton("step", "One step (.)", events.step);
        const reset = iconButton("reset", replay ? "To the start (r)" : "Reset (r)", events.reset);
        const live = [
            reset,
            this.playButton,
            step,
            this.speedSelect,
            iconButton("ball", "Throw a ball (b)", events.throwBall),
            this.loopButton,
        ];
        const recorded = [
            reset,
            iconButton("back", "One frame back (,)", events.back),
            this.playButton,
            step,
            this.line,
            this.clock,
            this.speedSelect,
            this.loopButton,
        ];
        this.element = el(
            "div",
            { class: replay ? "bar replay" : "bar", role: "toolbar", "aria-label": "Play" },
            ...(replay ? recorded : live),
        );
        this.showSpeed(1);
    }

    showPlaying(playing: boolean): void {
        setIcon(
            this.playButton,
            playing ? "pause" : "play",
            playing ? "Pause (space)" : "Play (space)",
        );
        this.playButton.dataset.playing = String(playing);
    }

    showSpeed(speed: number): void {
        this.speedNow = speed;
        const known = SPEEDS.some((value) => value === speed)
            ? SPEEDS
            : [...SPEEDS, speed].sort((a, b) => a - b);
        this.speedSelect.replaceChildren(
            ...known.map((value) =>
                el("option", { value, selected: value === speed }, `${value} ×`),
            ),
        );
    }

    /** The next speed of the list, up or down. */
    shiftSpeed(direction: 1 | -1): void {
        const others = SPEEDS.filter((value) =>
            direction > 0 ? value > this.speedNow : value < this.speedNow,
        );
        const next = direction > 0 ? others[0] : others[others.length - 1];
        if (next !== undefined) this.events.speed(next);
    }

    showLoop(loop: boolean): void {
        this.loopButton.setAttribute("aria-pressed", String(loop));
    }

    setSpan(start: number, end: number): void {
        this.line.min = String(start);
        this.line.max = String(end);
        this.end = end;
    }

    showTime(time: number): void {
        this.line.value = String(time);
        this.clock.textContent = `${time.toFixed(2)} / ${this.end.toFixed(2)} s`;
    }
}
