import { javascriptLanguage, typescriptLanguage } from '@codemirror/lang-javascript';
import { jsonLanguage } from '@codemirror/lang-json';
import { pythonLanguage } from '@codemirror/lang-python';
import { StandardSQL } from '@codemirror/lang-sql';
import { classHighlighter, highlightCode } from '@lezer/highlight';
import { escapeHtml } from './html.ts';

/** The languages of the editor's code fields, by the names of blocks. A block of any other has one colour. */
const LANGUAGES = {
  js: javascriptLanguage,
  ts: typescriptLanguage,
  json: jsonLanguage,
  python: pythonLanguage,
  sql: StandardSQL.language,
};

/** Code as HTML; its words have the classes `tok-…` of Lezer. */
export function highlighted(code: string, language: string): string {
  if (!Object.hasOwn(LANGUAGES, language)) return escapeHtml(code);
  const { parser } = LANGUAGES[language as keyof typeof LANGUAGES];
  let html = '';
  highlightCode(
    code,
    parser.parse(code),
    classHighlighter,
    (text, classes) => {
      html += classes === '' ? escapeHtml(text) : `<span class="${classes}">${escapeHtml(text)}</span>`;
    },
    () => {
      html += '\n';
    },
  );
  return html;
}
