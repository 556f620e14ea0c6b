import { copyText } from '../ui/clipboard.ts';

/** What was copied last on this page: stands in where the browser does not let pages read the clipboard. */
let last = '';

export async function copyForEditor(text: string): Promise<void> {
  last = text;
  await copyText(text);
}

/** Asks the browser, which may ask the person. Pasting by keys does not come here: its event brings the text. */
export async function readForEditor(): Promise<string> {
  try {
    return await navigator.clipboard.readText();
  } catch {
    return last;
  }
}
