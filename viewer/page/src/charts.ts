// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Small charts: one line over time, the last seconds of a live scene or the whole of a recording
 * with a cursor.
 */
import { el, say } from "./dom";

const SAMPLES = 300; // of a live chart
const FEWEST = 30; // that fill its width: before, the line grows from the right

export interface ChartOptions {
    label: string;
    unit: string;
    log?: boolean;
    fromZero?: boolean;
    tip: string;
}

/**
 * The least and the largest finite number, spread a little; with equal ones some room around them.
 */
export function rangeOf(
    values: ArrayLike<number>,
    count: number,
    fromZero: boolean,
): [number, number] {
    let least = Infinity;
    let most = -Infinity;
    for (let k = 0; k < count; ++k) {
        if (!Number.isFinite(values[k])) continue;
        least = Math.min(least, values[k]);
        most = Math.max(most, values[k]);
    }
    if (least > most) return [0, 1];
    if (fromZero) least = Math.min(0, least);
    // Frames have single precision: what varies by less is constant.
    const room =
        most - least > 1e-6 * Math.max(Math.abs(most), Math.abs(least))
            ? 0.08 * (most - least)
            : Math.max(0.1 * Math.abs(most), 1e-12);
    return [fromZero && least === 0 ? 0 : least - room, most + room];
}

export class Chart {
    readonly element: HTMLElement;
    private readonly canvas = el("canvas", { class: "chart-canvas", "aria-hidden": "true" });
    private readonly value = el("span", { class: "chart-value" }, "–");
    private values = new Float64Array(SAMPLES);
    private used = 0;
    private cursor: number | null = null; // 0 to 1, in a recording
    private reference: number | null = null;

    constructor(private readonly options: ChartOptions) {
        const name = el("span", { class: "chart-label" }, options.label);
        this.element = el(
            "div",
            { class: "chart", title: options.tip },
            el("div", { class: "chart-head" }, name, this.value),
            this.canvas,
        );
    }

    clear(): void {
        this.used = 0;
    }

    push(value: number): void {
        if (this.used === this.values.length) {
            this.values.copyWithin(0, 1);
            this.used--;
        }
        this.values[this.used++] = this.scaled(value);
    }

    /** All of a recording. */
    setWhole(values: Float64Array): void {
        this.values = values.map((value) => this.scaled(value));
        this.used = values.length;
    }

    setCursor(part: number): void {
        this.cursor = part;
    }

    /** A dashed line: what the value is measured against. */
    setReference(value: number | null): void {
        this.reference = value === null ? null : this.scaled(value);
    }

    show(value: number): void {
        const text = this.options.unit ? `${say(value)} ${this.options.unit}` : say(value);
        if (this.value.textContent !== text) this.value.textContent = text;
    }

    private scaled(value: number): number {
        return this.options.log ? Math.log10(Math.max(value, 1e-18)) : value;
    }

    draw(): void {
        const ratio = Math.min(2, devicePixelRatio);
        const width = Math.round(this.canvas.clientWidth * ratio);
        const height = Math.round(this.canvas.clientHeight * ratio);
        if (width === 0) return; // folded away
        if (this.canvas.width !== width) this.canvas.width = width;
        if (this.canvas.height !== height) this.canvas.height = height;
        const context = this.canvas.getContext("2d");
        if (!context) return;
        context.clearRect(0, 0, width, height);
        const style = getComputedStyle(this.canvas);
        const [least, most] = rangeOf(this.values, this.used, this.options.fromZero === true);
        const y = (value: number) => height - 1 - ((value - least) / (most - least)) * (height - 2);
        if (this.reference !== null && this.reference > least && this.reference < most)
            this.drawReference(context, y(this.reference), width, style);
        this.drawLine(context, y, width, height, ratio, style);
        if (this.cursor !== null) {
            context.fillStyle = style.getPropertyValue("--accent");
            context.fillRect(this.cursor * (width - ratio), 0, ratio, height);
        }
    }

    private drawReference(
        context: CanvasRenderingContext2D,
        y: number,
        width: number,
        style: CSSStyleDeclaration,
    ): void {
        context.strokeStyle = style.getPropertyValue("--muted");
        context.setLineDash([3, 4]);
        context.beginPath();
        context.moveTo(0, y);
        context.lineTo(width, y);
        context.stroke();
        context.setLineDash([]);
    }

    private drawLine(
        context: CanvasRenderingContext2D,
        y: (value: number) => number,
        width: number,
        height: number,
        ratio: number,
        style: CSSStyleDeclaration,
    ): void {
        if (this.used < 2) return;
        const span = this.cursor === null ? Math.max(this.used, FEWEST) - 1 : this.used - 1;
        const x = (k: number) => width - ((this.used - 1 - k) / span) * width;
        context.beginPath();
        for (let k = 0; k < this.used; ++k) context.lineTo(x(k), y(this.values[k]));
        context.strokeStyle = style.getPropertyValue("--line");
        context.lineWidth = 1.4 * ratio;
        context.lineJoin = "round";
        context.stroke();
        context.lineTo(width, height);
        context.lineTo(x(0), height);
        context.fillStyle = style.getPropertyValue("--line-fill");
        context.fill();
    }
}
