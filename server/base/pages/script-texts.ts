/**
 * JavaScript of a function that puts values into a text of a page's script: `fill('At most {most} files.', { most: 3 })`.
 * Texts stand in a table beside their script, as whole sentences, so that the catalogue of texts has them.
 */
export const FILL: string = String.raw`(text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name])`;
