import { useQuery } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import type { Path } from '#engine/check';
import type { NameKind } from '../model/form/schema-form.ts';
import type { Named } from '../ui/NamePicker.tsx';
import { useForm } from './form-context.tsx';
import type { FormModel } from './form-model.ts';
import { SOURCES, type ThingKind } from './name-sources.ts';

/** The names that are offered for a setting; none until they are loaded. */
export interface Names {
  readonly names: readonly Named[];
  readonly isLoading: boolean;
  /** Why they could not be loaded. */
  readonly error: string | undefined;
  /** The names in the settings beside it. */
  readonly beside: readonly string[];
}

type Schema = Readonly<Record<string, unknown>>;

const NONE: readonly string[] = [];
const ANY: Schema = {};
const never = () => () => undefined;

/** The names that a setting can have, read when its field is shown. */
export function useNames(of: NameKind, schema: Schema, path: Path): Names {
  const form = useForm();
  const beside = useBeside(form, SOURCES[of].beside, path);
  // What can be read here changes with runs and with the nodes before this one.
  const version = useSyncExternalStore(form.scope?.subscribe ?? never, () => form.scope?.version() ?? 0);
  return useListed(of, { form, schema, beside, version });
}

/** The names of things outside of nodes. */
export function useThings(of: ThingKind, schema: Schema = ANY): Names {
  return useListed(of, { form: undefined, schema, beside: NONE, version: 0 });
}

/** The fixed names in the settings beside a field, or beside the list that it is in; the same list as long as they are the same. */
function useBeside(form: FormModel, names: readonly string[] | undefined, path: Path): readonly string[] {
  const at = path.slice(
    0,
    path.findLastIndex((key) => typeof key === 'string'),
  );
  const read = (): string => {
    const given = (names ?? NONE).flatMap((name) => form.get([...at, name]) ?? []);
    return JSON.stringify(given.filter((one) => typeof one === 'string' && one !== ''));
  };
  const written = useSyncExternalStore(form.subscribe, read);
  return useMemo(() => JSON.parse(written) as string[], [written]);
}

interface Given {
  readonly form: FormModel | undefined;
  readonly schema: Schema;
  readonly beside: readonly string[];
  readonly version: number;
}

function useListed(of: ThingKind, { form, schema, beside, version }: Given): Names {
  const { key, ask, names, isAskedFor = false } = SOURCES[of];
  const { data, isLoading, error } = useQuery({
    queryKey: isAskedFor ? [...key, ...beside] : key,
    queryFn: () => ask?.(beside) ?? Promise.resolve(null),
    enabled: ask !== undefined && !(of === 'connection' && form?.connections !== undefined),
    // A server elsewhere that did not answer does not answer sooner when it is asked again at once.
    retry: !isAskedFor,
  });
  const listed = useMemo(
    () => names(data ?? undefined, { form, schema, beside }),
    [names, data, form, schema, beside, version],
  );
  return { names: listed, isLoading, error: error?.message, beside };
}
