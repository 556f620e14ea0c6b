import { buildEditorIfStale } from './admin/editor-build/build-editor.ts';
import { readConfig } from './base/config/read-config.ts';
import { main as serve } from './main.ts';

/** `npm start`: the server of `node server`, after rebuilding the editor if it is stale. */
export async function main(args: readonly string[]): Promise<void> {
  if (args.length === 0 && wantsEditor()) await buildEditorIfStale();
  await serve(args);
}

/** The server itself reports wrong settings. */
function wantsEditor(): boolean {
  try {
    const { config } = readConfig({ env: process.env, cwd: process.cwd(), terminal: false });
    return config.editor === 'on';
  } catch {
    return false;
  }
}
