import { idFrom, idSource } from '../../../awel/names.ts';
import { type Fields, listOf, recordOf, selectorOf, textOf } from '../app.ts';
import { conditionsOf } from '../conditions.ts';
import { type Mapping, simple, whole } from '../here.ts';
import { Unmapped } from '../unmapped.ts';
import { braces, members, type Value } from '../write.ts';

export const ifElse: Mapping = (here) => {
  const { settings } = here;
  const given = settings.records('cases');
  settings.ignore('conditions', 'logical_operator');
  const older: Fields = {
    case_id: 'true',
    conditions: settings.get('conditions'),
    logical_operator: settings.get('logical_operator'),
  };
  const cases = given.length > 0 ? given : [older];
  const idOf = idSource(['default', 'error']);
  const ways = cases.map((one, at) => ({
    key: textOf(one['case_id']) || textOf(one['id']) || String(at),
    name: idOf(idFrom(cases.length === 1 ? 'then' : `case_${at + 1}`, 'case')),
    when: conditionsOf(listOf(one['conditions']), textOf(one['logical_operator']), here),
  }));
  if (ways.length > 100) throw new Unmapped('it has more than 100 cases');
  const [only] = ways;
  if (only && ways.length === 1) {
    const id = here.main({ operator: 'logic.if', params: { condition: braces(only.when) } });
    const leave = { [only.key]: [`${id}.then`], false: [`${id}.else`] };
    return { enter: `${id}.in`, leave, value: () => undefined };
  }
  const id = here.main({
    operator: 'logic.switch',
    params: { cases: ways.map(({ name, when }) => ({ name, when: braces(when) })) },
  });
  const leave = Object.fromEntries(ways.map(({ key, name }) => [key, [`${id}.${name}`]]));
  return { enter: `${id}.in`, leave: { ...leave, false: [`${id}.default`] }, value: () => undefined };
};

/** The first of these variables that has a value. */
export const variableAggregator: Mapping = (here) => {
  const { settings } = here;
  const advanced = settings.record('advanced_settings');
  const groups = listOf(advanced['groups']).map(recordOf);
  const isGrouped = advanced['group_enabled'] === true && groups.length > 0;
  const first = (selectors: readonly unknown[]): Value => {
    const values = selectors
      .map(selectorOf)
      .filter((one) => one.length > 0)
      .map((one) => here.value(one));
    if (values.length === 0) return { expr: 'null' };
    const [{ kind } = { kind: undefined }] = values;
    const isSame = values.every((one) => one.kind === kind);
    return { expr: `(${values.map(({ expr }) => expr).join(' ?? ')})`, kind: isSame ? kind : undefined };
  };
  const variables = settings.list('variables');
  if (!isGrouped) {
    const { expr, kind } = first(variables);
    const id = here.main({ operator: 'core.map', params: { value: braces(expr) } });
    return simple(`${id}.in`, `${id}.out`, ([name, ...rest], q) => {
      if (name !== 'output') return undefined;
      return rest.length === 0 ? whole(id, q, kind) : { expr: members(`nodes.${id}`, rest, '?') };
    });
  }
  const made = groups.map(
    (group) => [textOf(group['group_name']), first(listOf(group['variables']))] as const,
  );
  const value = Object.fromEntries(made.map(([name, { expr }]) => [name, braces(expr)]));
  const id = here.main({ operator: 'core.map', params: { value } });
  const kinds = new Map(made.map(([name, { kind }]) => [name, kind]));
  return simple(`${id}.in`, `${id}.out`, ([group = '', name, ...rest]) => {
    if (!kinds.has(group) || (name !== undefined && name !== 'output')) return undefined;
    return {
      expr: members(`nodes.${id}`, [group, ...rest], '?'),
      kind: rest.length === 0 ? kinds.get(group) : undefined,
    };
  });
};
