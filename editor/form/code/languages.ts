import { Compartment, type Extension } from '@codemirror/state';
import { Decoration, type EditorView, ViewPlugin } from '@codemirror/view';
import { whenLoaded } from '../../model/when-loaded.ts';
import type { ScopeSource } from '../form-model.ts';
import { treeColors } from './tree-colors.ts';

const language = new Compartment();

/** The language of code, loaded with the first code field; until then it is plain text. */
export const codeLanguage = (reads: ScopeSource | undefined): Extension =>
  later(async () => (await import('./javascript.ts')).javascriptLanguage(reads));

export const pythonLanguage = later(async () => (await import('./python.ts')).pythonColors);

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

const mark = (name: string) => Decoration.mark({ class: name });
const LOOKS: Readonly<Record<string, Decoration>> = {
  PropertyName: mark('cm-json-name'),
  String: mark('cm-hole-text'),
  Number: mark('cm-hole-number'),
  True: mark('cm-hole-call'),
  False: mark('cm-hole-call'),
  Null: mark('cm-hole-call'),
};

/** Colours JSON. */
export const jsonColors = treeColors((name) => LOOKS[name]);
