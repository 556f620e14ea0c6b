import type { OperatorInfo, Purpose } from './catalog.ts';

const BY_GROUP: Readonly<Record<string, Purpose>> = {
  agent: 'model',
  code: 'code',
  core: 'logic',
  data: 'data',
  file: 'store',
  flow: 'logic',
  http: 'outside',
  human: 'people',
  knowledge: 'store',
  logic: 'logic',
  mail: 'outside',
  model: 'model',
  prompt: 'model',
  redis: 'store',
  sql: 'store',
  ssh: 'outside',
  state: 'store',
  text: 'data',
};

/** The purpose of an operator: its own, that of its group, or for a group that is not ours what its effects say. */
export function purposeOf(
  info: Pick<OperatorInfo, 'trigger' | 'group' | 'effects' | 'purpose'> | undefined,
): Purpose {
  if (!info) return 'code';
  if (info.trigger) return 'trigger';
  if (info.purpose) return info.purpose;
  const known = Object.hasOwn(BY_GROUP, info.group) ? BY_GROUP[info.group] : undefined;
  return known ?? BY_EFFECTS[info.effects];
}

const BY_EFFECTS: Readonly<Record<OperatorInfo['effects'], Purpose>> = {
  pure: 'data',
  read: 'outside',
  write: 'outside',
  wait: 'people',
};
