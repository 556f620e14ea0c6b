import { PICTURE } from '#shared/chat-item.ts';
import type { FileValue } from '#shared/file.ts';
import { CHAT_FILES, sizeText } from '#shared/wait-form.ts';
import { CHAT_SCRIPT } from './chat-script.ts';
import { escape, htmlPage } from './html.ts';
import { fileHtml, markdownHtml, MOST_MARKDOWN } from './markdown.ts';

interface Message {
  readonly role: string;
  readonly content: string;
  readonly files?: readonly FileValue[] | undefined;
}

/** The texts of a public chat page. */
export interface ChatPage {
  /** The name of the app. */
  readonly name: string;
  /** Markdown; empty for none. */
  readonly greeting: string;
  /** The address of the page, without its query. */
  readonly address: string;
  readonly conversation: string;
  readonly messages: readonly Message[];
  /** The address of the files of its conversations, with `/` at the end. */
  readonly files: string;
  /** Whether messages may have files. */
  readonly takesFiles: boolean;
  /** The text that could not be sent. */
  readonly typed?: string;
  /** Files that arrived with that text. */
  readonly kept?: readonly FileValue[];
  /** The reason, in a sentence. */
  readonly problem?: string;
}

/** The public chat page of an app: a conversation, and a field for the next message. Works without its script. */
export function chatHtml(chat: ChatPage): string {
  const {
    name,
    greeting,
    address,
    conversation,
    messages,
    typed = '',
    problem,
    takesFiles,
    kept = [],
  } = chat;
  const shares = markdownShares(messages);
  const shown = messages.map((message, at) => saidHtml(chat, message, shares[at])).join('\n');
  return htmlPage(
    name,
    `<div class="chat">
<header><h1>${escape(name)}</h1><a href="${escape(address)}">New conversation</a></header>
<div id="log" role="log" aria-label="Conversation" tabindex="0">
${greeting === '' ? '' : `<div class="greeting">${markdownHtml(greeting)}</div>`}
${shown}
</div>
<p id="state" class="state bad" role="alert"${problem === undefined ? ' hidden' : ''}>${escape(problem ?? '')}</p>
<form method="post" action="${escape(address)}?c=${encodeURIComponent(conversation)}"${takesFiles ? ' enctype="multipart/form-data"' : ''} data-name="${escape(name)}" data-address="${escape(address)}">
<input type="hidden" name="conversation" value="${escape(conversation)}">
${takesFiles ? filesHtml(kept) : ''}<label for="text" class="unseen">Your message</label>
<textarea id="text" name="text" rows="2" maxlength="10000"${takesFiles ? '' : ' required'} placeholder="Write a message">${escape(typed)}</textarea>
<button id="send" class="main">Send</button>
<button id="stop" type="button" hidden>Stop</button>
</form>
</div>
<script>${CHAT_SCRIPT}</script>`,
  );
}

const CLIP =
  '<svg aria-hidden="true" width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="m16 6-8.4 8.6a2 2 0 0 0 2.8 2.8l8.4-8.6a4 4 0 1 0-5.7-5.7l-8.4 8.6a6 6 0 1 0 8.5 8.5l8.4-8.6"/></svg>';

/** The field for files, which the script of the page replaces with a button. */
function filesHtml(kept: readonly FileValue[]): string {
  const { maxBytes, most } = CHAT_FILES;
  const items = kept.map(
    ({ $file, name, bytes }) =>
      `<li>${escape(name)} (${sizeText(bytes)})<input type="hidden" name="file" value="${escape($file)}"></li>`,
  );
  return `<ul id="files" class="files" aria-label="Files to send">${items.join('')}</ul>
<div id="pick"><label for="choose">Files</label><input id="choose" type="file" name="files" multiple data-most="${most}" data-max-bytes="${maxBytes}"></div>
<button id="attach" type="button" aria-label="Attach files" title="Attach files" hidden>${CLIP}</button>
`;
}

/** Characters of each message that are read as Markdown: the newest first, and at most as many in total as for one text. */
function markdownShares(messages: readonly Message[]): number[] {
  let left = MOST_MARKDOWN;
  const shares = messages.toReversed().map(({ role, content }) => {
    const share = role === 'user' ? 0 : Math.min(left, content.length);
    left -= share;
    return share;
  });
  return shares.reverse();
}

function saidHtml(chat: ChatPage, { role, content, files = [] }: Message, most?: number): string {
  const isOwn = role === 'user';
  const words = isOwn ? escape(content) : markdownHtml(content, chat.files, most);
  const at = `${chat.files}${encodeURIComponent(chat.conversation)}/`;
  const own = isOwn
    ? files.map(({ $file, name, type }) => `<li>${fileHtml(at + $file, name, PICTURE.test(type))}</li>`)
    : [];
  const shown = words === '' ? '' : `<div class="words">${words}</div>`;
  return `<div class="said ${isOwn ? 'you' : 'app'}"><span class="who">${isOwn ? 'You' : escape(chat.name)}</span>${shown}${own.length === 0 ? '' : `<ul class="files">${own.join('')}</ul>`}</div>`;
}

export function noChatHtml(): string {
  return htmlPage(
    'There is no chat here',
    '<h1>There is no chat here</h1>\n<p class="state">Check the address; the owner may have closed the page.</p>',
  );
}
