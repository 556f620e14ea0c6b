import { MAX_COMMENT, type WaitInfo } from '#shared/wait.ts';
import { askedFields, choiceText, type WaitField } from '#shared/wait-form.ts';
import { FORM_SCRIPT } from '../../base/pages/form-script.ts';
import { type Fault, FIELD, fieldHtml, type KeptFile, takesFiles } from '../../base/pages/fields.ts';
import { dataHtml } from '../../base/pages/data-html.ts';
import { escape, htmlPage } from '../../base/pages/html.ts';
import type { DurableAnswer } from '../durable/durable-runs.ts';
import { markdownHtml } from '../../base/pages/markdown.ts';

/** A refused form, to be corrected. */
export interface Refused {
  readonly sent: Readonly<Record<string, string>>;
  /** The problem, in a sentence. */
  readonly message: string;
  /** The problems by field. */
  readonly faults: ReadonlyMap<string, Fault>;
  /** The files of the refused form, by field. */
  readonly kept: ReadonlyMap<string, readonly KeptFile[]>;
}

/** A wait as shown to a visitor with the link. */
export function waitPage(wait: WaitInfo, token: string, refused?: Refused): string {
  const { title, ask, flow, status, openedAt } = wait;
  if (status === 'early') return notYetPage();
  const who = ask.who === undefined ? '' : ` · for ${escape(ask.who)}`;
  const about = `<p class="about">${escape(flow)} · asked ${timeHtml(openedAt)}${who}</p>`;
  return htmlPage(
    title,
    [
      `<h1>${escape(title)}</h1>`,
      // Strangers learn nothing about the inside of a flow.
      ask.sender === true ? '' : about,
      ask.text === undefined ? '' : markdownHtml(ask.text),
      ask.tool === undefined ? '' : toolHtml(ask.tool),
      ask.data === undefined || (ask.tool !== undefined && status === 'open') ? '' : dataHtml(ask.data),
      status === 'open' ? formHtml(wait, token, refused) : stateHtml(wait),
    ].join('\n'),
  );
}

/** The link is valid, but the run has not come that far. */
export function notYetPage(): string {
  return htmlPage(
    'Not asked yet',
    `<h1>Not asked yet</h1>
<p class="state" role="status">The run has not come to this question. This page looks again every few seconds.</p>`,
    5,
  );
}

/** The page was sent, and the run has not come to the next one. */
export function goesOnPage({ title }: Pick<WaitInfo, 'title'>): string {
  return htmlPage(
    title,
    `<h1>${escape(title)}</h1>
<p class="state" role="status">Your entries have arrived. This page goes on by itself.</p>`,
    2,
  );
}

/** The end of a form of several pages: the answer of the run, or thanks. */
export function lastPage({ title }: Pick<WaitInfo, 'title'>, { status, answer }: Ended): string {
  const to = Object.entries(answer?.headers ?? {}).find(([name]) => name.toLowerCase() === 'location')?.[1];
  if (to !== undefined)
    return htmlPage(
      title,
      `<h1>${escape(title)}</h1>\n<p class="state" role="status">Go on to <a href="${escape(to)}">${escape(to)}</a>.</p>`,
      to,
    );
  const body = answer?.body;
  const shown = typeof body === 'string' ? markdownHtml(body) : dataHtml(body);
  const text =
    body === undefined || body === null || body === ''
      ? '<p>Thank you. Your entries have arrived.</p>'
      : shown;
  const failed = '<p class="state bad" role="alert">Something went wrong here. Try again later.</p>';
  return htmlPage(
    title,
    `<h1>${escape(title)}</h1>
${status === 'ok' ? `<div class="state ok" role="status">${text}</div>` : failed}`,
  );
}

interface Ended {
  readonly status: string;
  readonly answer?: DurableAnswer | undefined;
}

/** Gives no details, so that a visitor cannot learn whether there is such a wait. */
export function wrongLinkPage(): string {
  return htmlPage(
    'This link does not work',
    `<h1>This link does not work</h1>
<p class="state bad">Open the whole link as you got it: a part of it is missing or was changed. Who may sign in can also decide in the editor, under <a href="/waiting">Waiting</a>.</p>`,
  );
}

/** A person has opened the address of a wait for a call. */
export function programPage(): string {
  return htmlPage(
    'This address is for a program',
    `<h1>This address is for a program</h1>
<p class="state">The run waits for a call: a POST with JSON to this address with <code>/call</code> before the question mark.</p>`,
  );
}

export function goneRunPage(): string {
  return htmlPage(
    'Nothing to decide',
    `<h1>Nothing to decide</h1>
<p class="state">The run is over; it ended without asking this, or its record was cleared away.</p>`,
  );
}

const DONE = { approved: 'Approved', rejected: 'Rejected', submitted: 'Submitted', received: 'Received' };

function stateHtml({ status, decision, expiresAt }: WaitInfo): string {
  if (decision) {
    const { by, at, comment, decision: what } = decision;
    const note = comment === '' ? '' : `<br>“${escape(comment)}”`;
    const tone = what === 'rejected' ? 'bad' : 'ok';
    return `<p class="state ${tone}" role="status"><strong>${DONE[what]}</strong> by ${escape(by)}, ${timeHtml(at)}.${note}</p>`;
  }
  const text =
    status === 'expired'
      ? `The time to decide is over${expiresAt === undefined ? '' : ` since ${timeHtml(expiresAt)}`}. The run continued without a decision.`
      : 'The run is over, so there is nothing to decide any more.';
  return `<p class="state" role="status">${text}</p>`;
}

function toolHtml({ name, agent, description }: NonNullable<WaitInfo['ask']['tool']>): string {
  const what = description === undefined ? '.' : `: ${escape(description)}`;
  return `<p><strong>${escape(agent)}</strong> wants to use <code>${escape(name)}</code>${what} You may change what it is called with.</p>`;
}

function formHtml({ id, ask, expiresAt }: WaitInfo, token: string, refused: Refused | undefined): string {
  const fields = askedFields(ask);
  const until =
    expiresAt === undefined ? '' : `<p class="about">There is time until ${timeHtml(expiresAt)}.</p>`;
  const sent = (name: string): string => escape(refused?.sent[name] ?? '');
  const buttons =
    ask.kind !== 'form'
      ? '<button name="decision" value="approved" class="main">Approve</button><button name="decision" value="rejected">Reject</button>'
      : '<button name="decision" value="submitted" class="main">Send</button>';
  // The Enter key presses the first button, and must not approve while a name is typed.
  return `${refused ? `<p class="state bad" role="alert">${escape(refused.message)}</p>` : ''}
<form method="post" action="/wait/${encodeURIComponent(id)}?token=${encodeURIComponent(token)}" autocomplete="off"${takesFiles(fields) ? ' enctype="multipart/form-data" data-progress' : ''}>
<button disabled hidden></button>
${until}
${fields.map((field) => fieldHtml(field, typedBefore(field, refused), refused?.faults.get(field.name), refused?.kept.get(field.name))).join('\n')}
${
  ask.sender === true
    ? ''
    : `<div class="field"><label for="by">Your name</label><input type="text" id="by" name="by" maxlength="100" autocomplete="name" value="${sent('by')}"></div>
<div class="field"><label for="comment">Comment</label><textarea id="comment" name="comment" rows="3" maxlength="${MAX_COMMENT}">${sent('comment')}</textarea></div>`
}
<div class="actions">${buttons}</div>
</form>${takesFiles(fields) ? `\n<script>${FORM_SCRIPT}</script>` : ''}`;
}

function typedBefore({ name, type, initial }: WaitField, refused: Refused | undefined): string {
  if (refused) return refused.sent[FIELD + name] ?? '';
  if (initial === undefined) return '';
  return type === 'json' ? JSON.stringify(initial, null, 2) : choiceText(initial);
}

function timeHtml(iso: string): string {
  return `<time datetime="${escape(iso)}">${escape(iso.slice(0, 16).replace('T', ' '))} UTC</time>`;
}
