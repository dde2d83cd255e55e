// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * The colours of the scene, light and dark, from palette.json, which `moreau render` also uses. The
 * colours of the panel are in style.css.
 *
 * The colours of bodies differ in lightness as well as in hue, so that neighbours can be
 * distinguished in greyscale and with red-green colour blindness.
 */
import palettes from "./palette.json";

export interface Palette {
    background: number; // at the horizon
    zenith: number;
    ground: number;
    grid: number;
    fixed: number;
    driven: number;
    bodies: number[];
    sticks: number;
    slides: number;
    apart: number;
    accent: number; // selected or held bodies
    pin: number;
    sky: number;
    bounce: number; // light from below
    skyStrength: number;
    sunStrength: number;
    shadow: number; // 0 to 1
}

const colour = (text: string): number => Number.parseInt(text.slice(1), 16);

function readPalette(from: (typeof palettes)["light"]): Palette {
    const { bodies, skyStrength, sunStrength, shadow, ...colours } = from;
    const numbers = Object.entries(colours).map(([name, text]) => [name, colour(text)]);
    return {
        ...(Object.fromEntries(numbers) as Record<keyof typeof colours, number>),
        bodies: bodies.map(colour),
        skyStrength,
        sunStrength,
        shadow,
    };
}

export type ThemeName = "light" | "dark";

const PALETTES = { light: readPalette(palettes.light), dark: readPalette(palettes.dark) };

export const paletteOf = (name: ThemeName): Palette => PALETTES[name];

export function systemTheme(): ThemeName {
    return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export const cssColour = (colour: number): string => `#${colour.toString(16).padStart(6, "0")}`;
