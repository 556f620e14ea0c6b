import { z } from 'zod';
import { AgentBudgets } from '#shared/agent-budget.ts';
import { SecretBody, SecretInfo, Variable, VariableBody } from '#shared/api.ts';
import { CreatedKey, KeyBody, KeyInfo } from '#shared/key.ts';
import {
  DiscoveredModels,
  ModelInfo,
  ModelSettings,
  ModelSettingsInfo,
  ProviderBody,
  ProviderDiscovery,
  ProviderInfo,
  ProviderTrial,
} from '#shared/model-provider.ts';
import { Usage, UsageQuery } from '#shared/usage.ts';
import type { RouteGroup } from '../description.ts';

export const admin: RouteGroup = {
  tag: 'Administration',
  routes: {
    'GET /api/v1/variables': { summary: 'All variables.', data: z.array(Variable) },
    'PUT /api/v1/variables/:name': {
      summary: 'Sets a variable.',
      body: VariableBody,
      data: Variable,
      errors: ['storage_failed'],
    },
    'DELETE /api/v1/variables/:name': {
      summary: 'Removes a variable.',
      data: z
        .object({ usedBy: z.array(z.string()) })
        .describe('Ids of flows that read it and now have a problem.'),
      errors: ['variable_not_found', 'storage_failed'],
    },
    'GET /api/v1/secrets': {
      summary: 'All secrets: names and grants, never values.',
      data: z.array(SecretInfo),
    },
    'PUT /api/v1/secrets/:name': {
      summary:
        'Makes or changes a secret; what is left out stays. A new one needs `value` and `grants`: lists of `operators`, `hosts` and `flows`, of which those that are there must all agree; `{}` grants it to nobody.',
      body: SecretBody,
      data: SecretInfo,
      errors: ['secret_read_only', 'storage_failed'],
    },
    'DELETE /api/v1/secrets/:name': {
      summary: 'Removes a secret.',
      data: z.null(),
      errors: ['secret_not_found', 'secret_read_only', 'storage_failed'],
    },
    'GET /api/v1/usage': {
      summary: 'Tokens and money that models took, summed up over the days asked for.',
      guide: 'observability',
      query: UsageQuery,
      data: Usage,
      errors: ['storage_failed'],
    },
    'GET /api/v1/models': {
      summary: 'All models that can be asked, with their use and prices; the default ones are marked.',
      data: z.array(ModelInfo),
    },
    'GET /api/v1/providers': {
      summary: 'Where models come from; keys by the names of their secrets only.',
      guide: 'models',
      data: z.array(ProviderInfo),
    },
    'PUT /api/v1/providers/:id': {
      summary: 'Makes or replaces a provider.',
      guide: 'models',
      body: ProviderBody,
      data: ProviderInfo,
      errors: ['provider_read_only', 'storage_failed'],
    },
    'DELETE /api/v1/providers/:id': {
      summary: 'Removes a provider.',
      data: z.null(),
      errors: ['provider_not_found', 'provider_read_only', 'storage_failed'],
    },
    'POST /api/v1/providers/discover': {
      summary: 'Asks a provider which models it has, before or after it is saved.',
      guide: 'models',
      body: ProviderDiscovery,
      data: DiscoveredModels,
      errors: ['model_refused', 'model_unavailable', 'model_bad_answer', 'outbound_refused'],
    },
    'GET /api/v1/models/settings': {
      summary: 'The default models, and other names that clients may use for models.',
      guide: 'models',
      data: ModelSettingsInfo,
    },
    'PUT /api/v1/models/settings': {
      summary: 'Sets them, all at once.',
      guide: 'models',
      body: ModelSettings,
      data: ModelSettingsInfo,
      errors: ['storage_failed'],
    },
    'POST /api/v1/providers/:id/try': {
      summary: 'Asks its first model for a word: tells whether address, key and name are right.',
      data: ProviderTrial,
      errors: ['provider_not_found'],
    },
    'GET /api/v1/budgets': {
      summary: 'What agents may use: for an answer, and for each app and key a day.',
      guide: 'agents',
      data: AgentBudgets,
    },
    'PUT /api/v1/budgets': {
      summary: 'Sets it, all at once.',
      guide: 'agents',
      body: AgentBudgets,
      data: AgentBudgets,
      errors: ['storage_failed'],
    },
    'GET /api/v1/keys': {
      summary: 'All API keys: names, scopes, when they end and were used last; never the keys.',
      guide: 'keys',
      data: z.array(KeyInfo),
    },
    'POST /api/v1/keys': {
      summary: 'Makes a key. The answer is the only one that holds it.',
      guide: 'keys',
      body: KeyBody,
      data: CreatedKey,
      status: 201,
      errors: ['conflict', 'storage_failed'],
    },
    'DELETE /api/v1/keys/:id': {
      summary: 'Revokes a key, by id or name: it is good for no further request.',
      data: z.null(),
      errors: ['key_not_found', 'key_read_only', 'storage_failed'],
    },
  },
};
