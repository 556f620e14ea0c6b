import type { ErrorEntry } from './entry.ts';

/** Models and their providers. */
export const modelErrors = {
  model_not_found: {
    status: 404,
    meaning: 'No provider offers the model, or several do and the name does not say which.',
    remedy: 'GET /v1/models lists the models; write <provider>/<model>, or leave the model out.',
  },
  model_rate_limited: {
    status: 429,
    meaning: 'The provider of the model accepts no more requests for now.',
    remedy:
      'Try again after the time in `Retry-After` or in the message, or raise the limit at the provider.',
    transient: true,
  },
  model_unavailable: {
    status: 503,
    meaning: 'The provider of the model could not be reached, failed, or broke off its answer.',
    remedy: 'Try again; if it keeps failing, check the address of the provider and whether it is up.',
    transient: true,
  },
  model_timeout: {
    status: 504,
    meaning: 'The provider of the model sent nothing for too long.',
    remedy: 'Try again, or raise `timeoutMs` of the provider.',
    transient: true,
  },
  model_refused: {
    status: 502,
    meaning: 'The provider of the model refused the key, or the account behind it.',
    remedy:
      'Fix what the message names: the secret of the provider, its grants, or the account at the provider.',
  },
  model_bad_request: {
    status: 400,
    meaning: 'The provider of the model rejects the request itself, so a new attempt cannot succeed.',
    remedy:
      'Fix what the message names; for chat clients `error.code` is the provider’s own code, such as context_length_exceeded.',
  },
  setting_unsupported: {
    status: 400,
    meaning: 'A setting asks for something that the provider of this model does not support.',
    remedy: 'Leave out the setting that the message names, or use a model of another provider.',
  },
  input_unsupported: {
    status: 400,
    meaning: 'A message holds an image or a file, which the model does not accept.',
    remedy: 'Use a model that accepts it; if this one does, say so in `input` of the model in its provider.',
  },
  embedding_unusable: {
    status: 502,
    meaning:
      'The vectors of an embedding model cannot be used: there are fewer than texts, they have different lengths, or their length changes again and again.',
    remedy:
      'Check `baseUrl` and the models of the provider: all requests have to reach the same model. Then read failed documents again.',
  },
  model_bad_answer: {
    status: 502,
    meaning: 'The answer of the model does not match the type of its provider, or the schema.',
    remedy: 'Check `type` and `baseUrl` of the provider; for JSON, try another model or a simpler schema.',
    transient: true,
  },
  provider_not_found: {
    status: 404,
    meaning: 'No model provider has this id.',
    remedy: 'GET /api/v1/providers lists them.',
  },
  provider_read_only: {
    status: 409,
    meaning: 'The model provider is built in or comes from the configuration, so it cannot be changed here.',
    remedy: 'Change WEFT_PROVIDERS and restart, or use another id.',
  },
} as const satisfies Record<string, ErrorEntry>;
