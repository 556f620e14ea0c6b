import '../zod-config.ts';
import { z } from 'zod';
import { NodeOutputs } from '#shared/api.ts';
import { App, AppPage } from '#shared/app.ts';
import { DeadLetterPage } from '#shared/calls-api.ts';
import { Conversation, ConversationPage } from '#shared/conversation.ts';
import { CreatedKey, KeyInfo } from '#shared/key.ts';
import { ModelInfo, ProviderInfo, ProviderTrial } from '#shared/model-provider.ts';
import { WaitInfo, WaitPage } from '#shared/wait.ts';

/** Answers that screens beside the editor ask for; in a file of their own, so that the editor's start does not wait for them. */
export const Keys = z.array(KeyInfo);
export const Models = z.array(ModelInfo);
export const Providers = z.array(ProviderInfo);

/** What one can chat with: a model, `app:<code>` or `flow:<id>`. */
const Partner = z.object({
  id: z.string(),
  /** The provider of a model; `app` or `flow`. */
  owned_by: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
});
export type Partner = Readonly<z.infer<typeof Partner>>;
export const Partners = z.array(Partner);

/** One event of a streamed answer, as far as it is read here. */
export const ChatChunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish(), reasoning_content: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});

export {
  App,
  AppPage,
  Conversation,
  ConversationPage,
  CreatedKey,
  DeadLetterPage,
  NodeOutputs,
  ProviderInfo,
  ProviderTrial,
  WaitInfo,
  WaitPage,
};
