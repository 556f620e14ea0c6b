import { copyText } from '../ui/clipboard.ts';

/** The last copied content of this page, for browsers that do not let pages read the clipboard. */
let last = '';

export async function copyForEditor(text: string): Promise<void> {
  last = text;
  await copyText(text);
}

/** Reads the browser's clipboard, which may ask the person. Pasting by keys does not use it: its event has the text. */
export async function readForEditor(): Promise<string> {
  try {
    return await navigator.clipboard.readText();
  } catch {
    return last;
  }
}
