import { Compartment, type Extension } from '@codemirror/state';
import { type EditorView, ViewPlugin } from '@codemirror/view';
import { whenLoaded } from '../../model/when-loaded.ts';

const language = new Compartment();

/** The language of code, loaded with the first code field; until then it is plain text. */
export const codeLanguage = later(async () => (await import('./javascript.ts')).javascriptLanguage);

export const sqlLanguage = later(async () => (await import('./sql.ts')).sqlColors);

function later(load: () => Promise<Extension>): Extension {
  return [
    language.of([]),
    ViewPlugin.define((view) => {
      const plugin = { isThere: true, destroy: () => void (plugin.isThere = false) };
      whenLoaded(load(), (extension) => {
        if (plugin.isThere) setLanguage(view, extension);
      });
      return plugin;
    }),
  ];
}

function setLanguage(view: EditorView, extension: Extension): void {
  view.dispatch({ effects: language.reconfigure(extension) });
}
