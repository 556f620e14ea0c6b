import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { type Extension, Prec } from '@codemirror/state';
import { Decoration, keymap } from '@codemirror/view';
import type { ScopeSource } from '../form-model.ts';
import { completeCode } from './complete-code.ts';
import { treeColors } from './tree-colors.ts';

const mark = (name: string) => Decoration.mark({ class: name });
const keyword = mark('cm-hole-call');
const comment = mark('cm-code-comment');
const text = mark('cm-hole-text');
const LOOKS: Readonly<Record<string, Decoration>> = {
  String: text,
  TemplateString: text,
  RegExp: text,
  Number: mark('cm-hole-number'),
  LineComment: comment,
  BlockComment: comment,
  TypeName: mark('cm-json-name'),
};

/** TypeScript includes JavaScript. Keywords are the nodes whose names are words in lower case. */
export const javascriptLanguage = (reads: ScopeSource | undefined): Extension => [
  javascript({ typescript: true }),
  treeColors((name) => LOOKS[name] ?? (/^[a-z]+$/.test(name) ? keyword : undefined)),
  completeCode(reads),
  bracketMatching(),
  closeBrackets(),
  indentOnInput(),
  // Before the field's own keys, which include Backspace.
  Prec.high(keymap.of(closeBracketsKeymap)),
];
