/** Two code points that Unicode keeps free for a program's own use. */
const [ESCAPE, ZERO] = ['\uFDD0', '\uFDD1'];

/**
 * PostgreSQL cannot store the character 0 in a text, which SQLite and JavaScript can. It is written as two others, so
 * every text comes back as it was; texts without these characters are stored as they are.
 */
export function encodeText(text: string): string {
  return text.replaceAll(ESCAPE, ESCAPE + ESCAPE).replaceAll('\0', ESCAPE + ZERO);
}

export function decodeText(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(/\uFDD0([\uFDD0\uFDD1])/g, (_, second) => (second === ZERO ? '\0' : ESCAPE));
}
