import { Decoration } from '@codemirror/view';
import { treeColors } from './tree-colors.ts';

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
