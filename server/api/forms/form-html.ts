import { choiceText, type WaitField } from '#shared/wait-form.ts';
import { type Fault, FIELD, fieldHtml, type KeptFile, takesFiles } from '../../base/pages/fields.ts';
import { dataHtml } from '../../base/pages/data-html.ts';
import { escape, htmlPage } from '../../base/pages/html.ts';
import { markdownHtml } from '../../base/pages/markdown.ts';
import type { FormLook } from './form.ts';
import { FORM_SCRIPT } from '../../base/pages/form-script.ts';

/** A field that people do not see: a sender that fills it in is a program. */
export const TRAP = 'website';
/** The same for all copies of one sent form, so that pressing the button twice starts one run. */
export const ONCE = 'once';

/** The content of the fields: initial, or as sent. */
export interface Filled {
  readonly address: string;
  readonly once: string;
  /** By the names of the inputs; a missing field has its initial value. */
  readonly typed: Readonly<Record<string, string>>;
  /** They were sent, so a box without a value is not ticked. */
  readonly wasSent: boolean;
  /** The problem, in a sentence. */
  readonly problem?: string;
  /** The problems by field. */
  readonly faults?: ReadonlyMap<string, Fault>;
  /** Files of an earlier try, by field. */
  readonly kept?: ReadonlyMap<string, readonly KeptFile[]>;
  /** Whether the page's script sends it, if it has one, and shows the progress. */
  readonly scripted?: boolean;
}

export function formHtml({ title, text, fields, button, lang }: FormLook, filled: Filled): string {
  const { address, once, problem, faults, kept, scripted = false } = filled;
  const shown = fields.map((field) =>
    fieldHtml(field, valueOf(field, filled), faults?.get(field.name), kept?.get(field.name)),
  );
  return htmlPage(
    title,
    `<h1>${escape(title)}</h1>
${text === undefined ? '' : markdownHtml(text)}
${problem === undefined ? '' : `<p class="state bad" role="alert">${escape(problem)}</p>`}
<form method="post" action="${escape(address)}"${takesFiles(fields) ? ' enctype="multipart/form-data"' : ''}${scripted && takesFiles(fields) ? ' data-progress' : ''}>
${shown.join('\n')}
<div class="trap" aria-hidden="true"><label for="${TRAP}">Leave this empty</label><input type="text" id="${TRAP}" name="${TRAP}" tabindex="-1" autocomplete="off"></div>
<input type="hidden" name="${ONCE}" value="${escape(once)}">
<div class="actions"><button class="main">${escape(button)}</button></div>
</form>${takesFiles(fields) ? `\n<script>${FORM_SCRIPT}</script>` : ''}`,
    undefined,
    lang,
  );
}

function valueOf({ name, type, initial }: WaitField, { typed, wasSent }: Filled): string {
  const sent = typed[FIELD + name];
  if (sent !== undefined || wasSent) return sent ?? '';
  if (initial === undefined) return '';
  return type === 'json' ? JSON.stringify(initial, null, 2) : choiceText(initial);
}

/** After a form was sent: a message in Markdown, and the way back to the form. */
export function sentHtml({ title, lang }: FormLook, message: string, address: string): string {
  return htmlPage(
    title,
    `<h1>${escape(title)}</h1>
<div class="state ok" role="status">${markdownHtml(message)}</div>
${againHtml(address)}`,
    undefined,
    lang,
  );
}

/** The result of the flow, as a page: a text as Markdown, records as a table, an object as a list. */
export function resultHtml({ title, lang }: FormLook, result: unknown, address: string): string {
  const body = typeof result === 'string' ? markdownHtml(result) : dataHtml(result);
  return htmlPage(
    title,
    `<h1>${escape(title)}</h1>
<div class="state" role="status">${body}</div>
${againHtml(address)}`,
    undefined,
    lang,
  );
}

function againHtml(address: string): string {
  return `<p><a lang="en" href="${escape(address)}">Fill in the form again</a></p>`;
}

/** The flow sends the reader elsewhere; a policy of the form's page would stop a plain redirect. */
export function leadHtml({ title, lang }: FormLook, to: string): string {
  return htmlPage(
    title,
    `<h1>${escape(title)}</h1>\n<p class="state" role="status">Go on to <a href="${escape(to)}">${escape(to)}</a>.</p>`,
    to,
    lang,
  );
}

export function noFormHtml(): string {
  return htmlPage(
    'There is no form here',
    '<h1>There is no form here</h1>\n<p class="state">Check the address; the form may have moved, or may be closed.</p>',
  );
}

export function otherOriginHtml(): string {
  return htmlPage(
    'The form was not sent',
    '<h1>The form was not sent</h1>\n<p class="state bad" role="alert">It came from a page of another site. Open the form itself and send it there.</p>',
  );
}
