// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Builds the page into one file, dist/index.html: script and style are inlined, and a content
 * security policy allows these two by their hashes and nothing else, except for the socket of the
 * server that the page came from.
 */
import { createHash } from "node:crypto";
import { defineConfig } from "vite";

const sha256 = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

function policy(script, style) {
    return [
        "default-src 'none'",
        `script-src ${sha256(script)}`,
        `style-src ${sha256(style)}`,
        "img-src 'self' data: blob:",
        "connect-src 'self' ws://127.0.0.1:* ws://localhost:*",
        "base-uri 'none'",
        "form-action 'none'",
    ].join("; ");
}

function oneFile() {
    return {
        name: "one-file",
        enforce: "post",
        generateBundle(_, bundle) {
            const files = Object.values(bundle);
            const page = files.find((file) => file.fileName.endsWith(".html"));
            const chunk = files.find((file) => file.type === "chunk");
            const sheet = files.find((file) => file.fileName.endsWith(".css"));
            // "</script" inside the script would end it.
            const script = chunk.code.replaceAll("</script", "<\\/script");
            const style = String(sheet.source);
            page.source = String(page.source)
                .replace(/\s*<script type="module"[^>]*><\/script>/, "")
                .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
                .replace(
                    "<!-- policy -->",
                    () =>
                        '<meta http-equiv="Content-Security-Policy" ' +
                        `content="${policy(script, style)}">`,
                )
                .replace("<!-- style -->", () => `<style>${style}</style>`)
                .replace("<!-- script -->", () => `<script type="module">${script}</script>`);
            for (const file of files) if (file !== page) delete bundle[file.fileName];
        },
    };
}

export default defineConfig({
    base: "./",
    plugins: [oneFile()],
    build: {
        target: "es2022",
        modulePreload: false,
        cssCodeSplit: false,
        assetsInlineLimit: 0,
        chunkSizeWarningLimit: 1000,
    },
    esbuild: { legalComments: "inline" },
});
