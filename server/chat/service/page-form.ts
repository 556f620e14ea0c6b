import { z } from 'zod';
import type { ChatItem } from '#shared/chat-item.ts';
import { withoutOwnAddresses } from '#shared/chat-markup.ts';
import { APP_PREFIX } from '#shared/chat-names.ts';
import { HANDLE } from '#shared/file.ts';
import { CHAT_FILES } from '#shared/wait-form.ts';
import { type ChatRequest, ChatRequestBody } from '#shared/chat-request.ts';
import { markdownHtml } from '../../base/pages/markdown.ts';
import type { AnswerEvent, AnswerEvents, AnswerForm } from './form.ts';
import { createPlainText } from './vis.ts';

/** The longest message from the public page of an app, in characters. */
export const MAX_MESSAGE = 10_000;

/** The names of conversations, which the page makes. */
export const CONVERSATION: RegExp = /^[0-9a-f-]{36}$/;

/** A message of the page: its text, its files, and the name of its conversation. Everything else is the app's. */
export const PageMessage = z
  .object({
    text: z.string().trim().max(MAX_MESSAGE),
    conversation: z.string().regex(CONVERSATION),
    files: z
      .array(z.string().regex(HANDLE))
      .max(CHAT_FILES.most)
      .default([])
      .describe('Ids of uploaded files.'),
  })
  .refine(({ text, files }) => text !== '' || files.length > 0, 'must hold a text or a file');
export type PageMessage = z.output<typeof PageMessage>;

export function pageRequest(app: string, stream: boolean): z.ZodType<ChatRequest> {
  return PageMessage.transform(({ text, conversation, files }) =>
    ChatRequestBody.parse({
      model: `${APP_PREFIX}${app}`,
      messages: files.length === 0 ? [text] : [{ role: 'user', content: contentOf(text, files) }],
      conv_uid: conversation,
      stream,
      enable_vis: false,
    }),
  ) as unknown as z.ZodType<ChatRequest>;
}

function contentOf(text: string, files: readonly string[]): object[] {
  const texts = text === '' ? [] : [{ type: 'text', text }];
  return [...texts, ...files.map((file_id) => ({ type: 'file', file: { file_id } }))];
}

/** The owner of the page's conversations: a caller that knows the unguessable name of one may continue it. */
export function pageOwner(app: string): string {
  return `page:${app}`;
}

/** The uploader of files from the page: a caller that knows the name of the conversation. */
export function pageUploader(app: string, conversation: string): string {
  return `page ${app} ${conversation}`;
}

/** The address at which the page finds the files of its conversations. */
export function pageFiles(app: string): string {
  return `/talk/${encodeURIComponent(app)}/files/`;
}

/** Shown instead of the reason, which strangers must not see. */
export const FAILED = 'The answer could not be completed. Try again.';

/**
 * Answers as the public page of an app reads them: `{text}` for each piece, then `{html}`, which is the whole answer as
 * safe HTML, or `{error}`. `whole` makes a page of an answer in one piece, `files` is the address of its files.
 */
export function pageForm(whole: (text: string) => string, files: string): AnswerForm {
  return {
    events: () => new PageEvents(files),
    whole: (_chat, { text }) => whole(withoutOwnAddresses(text)),
  };
}

class PageEvents implements AnswerEvents {
  private readonly plain = createPlainText();
  private readonly files: string;

  constructor(files: string) {
    this.files = files;
  }

  item(item: ChatItem): readonly AnswerEvent[] {
    return written(withoutOwnAddresses(this.plain.take(item)));
  }

  end(): readonly AnswerEvent[] {
    const rest = written(this.plain.end());
    const html = markdownHtml(withoutOwnAddresses(this.plain.whole()), this.files);
    return [...rest, { data: JSON.stringify({ html }) }];
  }

  failure(): readonly AnswerEvent[] {
    return [...written(this.plain.end()), { data: JSON.stringify({ error: FAILED }) }];
  }
}

function written(text: string): AnswerEvent[] {
  return text === '' ? [] : [{ data: JSON.stringify({ text }) }];
}
