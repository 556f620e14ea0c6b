import type { Mapping } from '../here.ts';
import { code } from './code.ts';
import { documentExtractor } from './documents.ts';
import { httpRequest } from './http.ts';
import { knowledgeRetrieval } from './knowledge.ts';
import { listOperator } from './lists.ts';
import { llm } from './llm.ts';
import { ifElse, variableAggregator } from './logic.ts';
import { assigner, iteration, loop, loopEnd } from './loops.ts';
import { agent, agentApp, parameterExtractor, questionClassifier } from './questions.ts';
import { scheduleTrigger, start, webhookTrigger } from './starts.ts';
import { tool } from './tools.ts';
import { answer, end, templateTransform } from './texts.ts';

/** The mappings from nodes of Dify to nodes here, by type. Any other type becomes a placeholder. */
export const mappings: Readonly<Record<string, Mapping>> = {
  start,
  end,
  answer,
  llm,
  'knowledge-retrieval': knowledgeRetrieval,
  'question-classifier': questionClassifier,
  'if-else': ifElse,
  code,
  'template-transform': templateTransform,
  'http-request': httpRequest,
  tool,
  'variable-aggregator': variableAggregator,
  'variable-assigner': variableAggregator,
  assigner,
  iteration,
  loop,
  'loop-end': loopEnd,
  'parameter-extractor': parameterExtractor,
  'document-extractor': documentExtractor,
  'list-operator': listOperator,
  agent,
  'agent-app': agentApp,
  'trigger-schedule': scheduleTrigger,
  'trigger-webhook': webhookTrigger,
};
