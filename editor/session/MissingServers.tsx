import { Banner } from '../ui/Banner.tsx';

/** Servers of the same database that do not answer, where runs are listed. */
export function MissingServers({ names = [] }: { names: readonly string[] | undefined }) {
  if (names.length === 0) return null;
  const [does, its] = names.length === 1 ? ['does', 'its'] : ['do', 'their'];
  return (
    <Banner tone="warn">
      {new Intl.ListFormat('en').format(names)} {does} not answer: {its} runs in progress are not shown.
    </Banner>
  );
}
