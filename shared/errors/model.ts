import type { ErrorEntry } from './entry.ts';

/** Models and the providers that offer them. */
export const modelErrors = {
  model_not_found: {
    status: 404,
    meaning: 'No provider offers the model, or several do and the name does not say which.',
    remedy: 'GET /v1/models lists the models; write <provider>/<model>, or leave the model out.',
  },
  model_rate_limited: {
    status: 429,
    meaning: 'The provider of the model takes no more requests for now.',
    remedy: 'Try again after the time that `Retry-After` or the message says, or raise the limit there.',
    transient: true,
  },
  model_unavailable: {
    status: 503,
    meaning: 'The provider of the model could not be reached, failed, or broke its answer off.',
    remedy: 'Try again; if it stays, check `baseUrl` of the provider and whether it is up.',
    transient: true,
  },
  model_timeout: {
    status: 504,
    meaning: 'The provider of the model was silent for too long.',
    remedy: 'Try again, or raise `timeoutMs` of the provider.',
    transient: true,
  },
  model_refused: {
    status: 502,
    meaning: 'The provider of the model refused the key, or the account behind it.',
    remedy: 'Mend what the message names: the secret of the provider, its grants, or the account there.',
  },
  model_bad_request: {
    status: 400,
    meaning:
      'The provider of the model finds the request itself wrong, so that no other attempt can succeed.',
    remedy:
      'Mend what the message names; towards chat clients `error.code` is the provider’s own code, such as context_length_exceeded.',
  },
  setting_unsupported: {
    status: 400,
    meaning: 'A setting asks for what the provider of this model cannot do.',
    remedy: 'Leave the setting that the message names out, or ask a model of another provider.',
  },
  input_unsupported: {
    status: 400,
    meaning: 'A message holds an image or a file, which the model does not take.',
    remedy: 'Ask a model that takes it; if this one does, say so in `input` of the model in its provider.',
  },
  model_bad_answer: {
    status: 502,
    meaning: 'The answer of the model is not what its provider’s type, or the schema, says it is.',
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
