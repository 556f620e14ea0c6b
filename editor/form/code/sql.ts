import { PostgreSQL } from '@codemirror/lang-sql';
import { bracketMatching } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { Decoration } from '@codemirror/view';
import { treeColors } from './tree-colors.ts';

const mark = (name: string) => Decoration.mark({ class: name });
const comment = mark('cm-code-comment');
const LOOKS: Readonly<Record<string, Decoration>> = {
  Keyword: mark('cm-hole-call'),
  Type: mark('cm-hole-call'),
  String: mark('cm-hole-text'),
  Number: mark('cm-hole-number'),
  Bool: mark('cm-hole-number'),
  Null: mark('cm-hole-number'),
  LineComment: comment,
  BlockComment: comment,
};

/** The words of PostgreSQL, which has nearly all of those of the others. */
export const sqlColors: Extension = [
  PostgreSQL.language,
  treeColors((name) => LOOKS[name]),
  bracketMatching(),
];
