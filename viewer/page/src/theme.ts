// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/* The colours of what is drawn, light and dark; those of the panel are in style.css. */

export interface Palette {
    background: number;
    ground: number;
    grid: number;
    fixed: number;
    driven: number;
    bodies: number[];
    sticks: number;
    slides: number;
    apart: number;
    accent: number; // what is held or chosen
    pin: number;
    sky: number;
    bounce: number; // light from below
    skyStrength: number;
    sunStrength: number;
    shadow: number; // 0 to 1
}

export const LIGHT: Palette = {
    background: 0xeef0f2,
    ground: 0xe4e6e9,
    grid: 0xd0d4d9,
    fixed: 0xb9bec5,
    driven: 0x7d8794,
    bodies: [0x8fb0cf, 0xd9b48f, 0x9cc3a8, 0xcf9f9b, 0xb0a6d0, 0xd8cb94, 0x8fc2c6, 0xc0b2a2],
    sticks: 0x1f6feb,
    slides: 0xe5484d,
    apart: 0x8b93a0,
    accent: 0xf59e0b,
    pin: 0x3f4752,
    sky: 0xffffff,
    bounce: 0xcfc9c2,
    skyStrength: 1.9,
    sunStrength: 2.0,
    shadow: 0.35,
};

export const DARK: Palette = {
    background: 0x14171c,
    ground: 0x1c2026,
    grid: 0x2b313a,
    fixed: 0x59616d,
    driven: 0x8a95a5,
    bodies: [0x6f96bd, 0xc2976b, 0x79a888, 0xb77d79, 0x9187b8, 0xb8aa6c, 0x6ca6ab, 0xa19281],
    sticks: 0x5aa2ff,
    slides: 0xff6b6b,
    apart: 0x7c8594,
    accent: 0xffb84d,
    pin: 0xd6dbe3,
    sky: 0xdfe8f5,
    bounce: 0x3a3f4a,
    skyStrength: 1.3,
    sunStrength: 2.1,
    shadow: 0.55,
};

export type ThemeName = "light" | "dark";

export const paletteOf = (name: ThemeName): Palette => (name === "dark" ? DARK : LIGHT);

export function systemTheme(): ThemeName {
    return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export const cssColour = (colour: number): string => `#${colour.toString(16).padStart(6, "0")}`;
