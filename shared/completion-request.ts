import { z } from 'zod';
import { ChatBody, type ChatRequest, ChatRequestBody, ignoredIn } from './chat-request.ts';

/** The body of OpenAI's older API: a prompt in place of messages. The model gets the prompt as a message of the user. */

const {
  model,
  stream,
  stream_options,
  temperature,
  top_p,
  max_tokens,
  stop,
  seed,
  presence_penalty,
  frequency_penalty,
  logit_bias,
  n,
  user,
} = ChatBody.shape;

const settings = {
  model,
  stream,
  stream_options,
  temperature,
  top_p,
  max_tokens,
  stop,
  seed,
  presence_penalty,
  frequency_penalty,
  logit_bias,
  n,
  user,
};

export const CompletionBody = z.object(
  {
    ...settings,
    prompt: z
      .union(
        [z.string(), z.tuple([z.string()])],
        'must be one text: send several prompts as separate requests, and texts in place of token numbers',
      )
      .describe('The text to answer.'),
    echo: z.literal(false, 'must be false or left out').nullish().describe('Only false.'),
    best_of: z.literal(1, 'must be 1: one answer is given').nullish().describe('Only 1.'),
    logprobs: z
      .null('must be left out: token probabilities are not available')
      .optional()
      .describe('Refused.'),
    suffix: z.null('must be left out: models are called with messages').optional().describe('Refused.'),
  },
  { error: 'must be a JSON object' },
);

export const CompletionRequestBody = z.unknown().transform((given, ctx): ChatRequest => {
  const parsed = CompletionBody.safeParse(given, { reportInput: true });
  if (!parsed.success) {
    for (const issue of parsed.error.issues) ctx.issues.push(issue as never);
    return z.NEVER;
  }
  const {
    prompt,
    echo: _echo,
    best_of: _bestOf,
    logprobs: _logprobs,
    suffix: _suffix,
    ...rest
  } = parsed.data;
  const content = typeof prompt === 'string' ? prompt : prompt[0];
  const request = ChatRequestBody.parse({
    ...rest,
    stream: rest.stream ?? false,
    enable_vis: false,
    messages: [{ role: 'user', content }],
  });
  return { ...request, ignored: ignoredIn(given as object, CompletionBody.shape) };
});
