import type { ChatItem } from '#shared/chat-item.ts';
import type { Chat } from './chat.ts';
import { writtenUsage } from './chunks.ts';
import type { AnswerEvent, AnswerEvents, AnswerForm } from './form.ts';
import type { Said } from './said.ts';
import { createPlainText } from './vis.ts';

/** Answers in the format of OpenAI's legacy `/completions`: texts without a role. */
export const completionForm: AnswerForm = {
  events: (chat, said) => new TextEvents(chat, said),
  whole: (chat, { text, finish, usage, model }) => ({
    ...headOf(chat, model),
    choices: [choice(text, finish)],
    usage: writtenUsage(usage),
  }),
};

function headOf({ head: { id, created } }: Chat, model: string): object {
  return { id: `cmpl-${id}`, object: 'text_completion', created, model };
}

function choice(text: string, finish_reason: string | null): object {
  return { index: 0, text, logprobs: null, finish_reason };
}

class TextEvents implements AnswerEvents {
  private readonly chat: Chat;
  private readonly said: Said;
  private readonly text = createPlainText();

  constructor(chat: Chat, said: Said) {
    this.chat = chat;
    this.said = said;
  }

  item(item: ChatItem): readonly AnswerEvent[] {
    const text = this.text.take(item);
    return text === '' ? [] : [this.event({ choices: [choice(text, null)] })];
  }

  end(): readonly AnswerEvent[] {
    const { finish, usage } = this.said.end();
    const usageEvents = this.chat.request.usage
      ? [this.event({ choices: [], usage: writtenUsage(usage) })]
      : [];
    return [this.event({ choices: [choice(this.text.end(), finish)] }), ...usageEvents, { data: '[DONE]' }];
  }

  failure(error: object): readonly AnswerEvent[] {
    return [this.event({ choices: [choice(this.text.end(), 'stop')], error }), { data: '[DONE]' }];
  }

  private event(fields: object): AnswerEvent {
    return {
      data: JSON.stringify({ ...headOf(this.chat, this.said.model ?? this.chat.head.model), ...fields }),
    };
  }
}
