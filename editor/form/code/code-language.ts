import { Compartment, type Extension } from '@codemirror/state';
import { type EditorView, ViewPlugin } from '@codemirror/view';
import { whenLoaded } from '../../model/when-loaded.ts';

const language = new Compartment();

/** The language of code, loaded with the first code field; until then it is plain text. */
export const codeLanguage: Extension = [
  language.of([]),
  ViewPlugin.define((view) => {
    const plugin = { isThere: true, destroy: () => void (plugin.isThere = false) };
    whenLoaded(import('./javascript.ts'), ({ javascriptLanguage }) => {
      if (plugin.isThere) setLanguage(view, javascriptLanguage);
    });
    return plugin;
  }),
];

function setLanguage(view: EditorView, extension: Extension): void {
  view.dispatch({ effects: language.reconfigure(extension) });
}
