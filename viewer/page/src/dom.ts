// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/* Small helpers to build the page's elements. */

type Child = Node | string;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

/**
 * Makes an element. Attributes that begin with "on" are listeners; others are named as in HTML.
 */
export function el<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    attributes: Attributes = {},
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") element.addEventListener(name.slice(2), value);
        else if (value === true) element.setAttribute(name, "");
        else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
    }
    element.append(...children);
    return element;
}

/* Drawn on a grid of 24 by lines of width 1.8 (style.css). */
const ICONS = {
    play: "M8 5.5v13l10.5-6.5z",
    pause: "M8.5 5.5v13M15.5 5.5v13",
    step: "M6.5 5.5v13l8.5-6.5zM18 5.5v13",
    back: "M17.5 5.5v13L9 12zM6 5.5v13",
    reset: "M5 12a7 7 0 1 0 2.2-5.1M5 4.5v4h4",
    ball: "M12 4.5a7.5 7.5 0 1 0 0 15a7.5 7.5 0 1 0 0-15M12 8.5v7M8.5 12h7",
    loop: "M4.5 12V10a3 3 0 0 1 3-3h10M14.5 4l3 3l-3 3M19.5 12v2a3 3 0 0 1-3 3h-10M9.5 20l-3-3l3-3",
    theme: "M12 4.5a7.5 7.5 0 1 0 0 15zM12 4.5a7.5 7.5 0 0 1 0 15",
    camera:
        "M4.5 8.5h3.2l1.6-2.5h5.4l1.6 2.5h3.2v10h-15z" +
        "M12 16a2.8 2.8 0 1 0 0-5.6a2.8 2.8 0 1 0 0 5.6",
    link:
        "M10 14.5a4 4 0 0 0 5.7 0l2.6-2.6a4 4 0 0 0-5.7-5.7l-1 1" +
        "M14 9.5a4 4 0 0 0-5.7 0l-2.6 2.6a4 4 0 0 0 5.7 5.7l1-1",
    home: "M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15",
    help: "M9 9a3 3 0 1 1 4.2 2.75c-.8.4-1.2.9-1.2 1.75v.5M12 17.4v.1",
    panel: "M5 7h14M5 12h14M5 17h14",
    close: "M6.5 6.5l11 11M17.5 6.5l-11 11",
} as const;

export type IconName = keyof typeof ICONS;

export function icon(name: IconName): SVGSVGElement {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", ICONS[name]);
    svg.append(path);
    return svg;
}

export function iconButton(name: IconName, label: string, click: () => void): HTMLButtonElement {
    return el(
        "button",
        { type: "button", class: "icon-button", "aria-label": label, title: label, onclick: click },
        icon(name),
    );
}

export function setIcon(button: HTMLButtonElement, name: IconName, label: string): void {
    button.replaceChildren(icon(name));
    button.setAttribute("aria-label", label);
    button.title = label;
}

/** Formats a number with three significant digits. */
export function say(x: number): string {
    if (!Number.isFinite(x)) return x > 0 ? "∞" : x < 0 ? "−∞" : "–";
    if (x === 0) return "0";
    const size = Math.abs(x);
    const text =
        size >= 1e6 || size < 1e-3
            ? x.toExponential(1).replace("e+", "e")
            : size >= 1000
              ? Math.round(x).toLocaleString("en")
              : Number(x.toPrecision(3)).toString();
    return text.replaceAll("-", "−");
}

/**
 * After a choice by mouse or touch the scene receives the keys again; a choice by keyboard keeps
 * the focus.
 */
export function returnFocus(select: HTMLSelectElement): void {
    let byKeys = false;
    select.addEventListener("keydown", () => {
        byKeys = true;
    });
    select.addEventListener("pointerdown", () => {
        byKeys = false;
    });
    select.addEventListener("change", () => {
        if (!byKeys) select.blur();
    });
}

export const count = (n: number): string => n.toLocaleString("en");
