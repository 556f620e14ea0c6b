import type { ServiceInfo } from '#shared/service-api.ts';

type Call = ServiceInfo['calls'][number];

/** The services that fit the words, with the calls that do; a service itself fits by its name. All of them without words. */
export function foundIn(
  services: readonly ServiceInfo[],
  words: string,
): { readonly service: ServiceInfo; readonly calls: readonly Call[] }[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return services.flatMap((service) => {
    const all = [...service.triggers, ...service.calls];
    if (fits(wanted, `${service.title} ${service.id}`)) return [{ service, calls: all }];
    const calls = all.filter(({ title, doc, synonyms = '' }) =>
      fits(wanted, `${service.title} ${title} ${doc} ${synonyms}`),
    );
    return calls.length > 0 ? [{ service, calls }] : [];
  });
}

function fits(words: readonly string[], text: string): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}
