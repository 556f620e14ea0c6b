import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { pythonLanguage } from '@codemirror/lang-python';
import { bracketMatching, indentOnInput, indentUnit, LanguageSupport } from '@codemirror/language';
import { type Extension, Prec } from '@codemirror/state';
import { Decoration, keymap } from '@codemirror/view';
import { treeColors } from './tree-colors.ts';

const mark = (name: string) => Decoration.mark({ class: name });
const keyword = mark('cm-hole-call');
const text = mark('cm-hole-text');
const number = mark('cm-hole-number');
const LOOKS: Readonly<Record<string, Decoration>> = {
  String: text,
  FormatString: text,
  Number: number,
  Boolean: number,
  None: number,
  Comment: mark('cm-code-comment'),
};

/** Keywords are the nodes whose names are words in lower case. */
export const pythonColors: Extension = [
  new LanguageSupport(pythonLanguage),
  treeColors((name) => LOOKS[name] ?? (/^[a-z]+$/.test(name) ? keyword : undefined)),
  indentUnit.of('    '),
  bracketMatching(),
  closeBrackets(),
  indentOnInput(),
  Prec.high(keymap.of(closeBracketsKeymap)),
];
