import { useQuery } from '@tanstack/react-query';
import { getFlow } from '../api/flows.ts';
import { nodeIn } from '../model/document/flat.ts';
import { titleOf } from '../model/document/geometry.ts';
import { runSubject, stepName } from '../model/run-subject.ts';
import { catalogQuery } from '../session/open-flow.ts';

/** The name of a node of a stored flow, as its canvas shows it; its id if the node or the flow is gone. */
export function NodeName({ flow, node }: { flow: string; node: string }) {
  const isStored = runSubject(flow).kind === 'flow';
  const { data: catalog } = useQuery(catalogQuery);
  const { data } = useQuery({
    queryKey: ['named-nodes', flow],
    queryFn: () => getFlow(flow),
    enabled: isStored,
    retry: false,
  });
  if (!isStored) return <>{stepName(flow, node)}</>;
  const found = data?.flow ? nodeIn(data.flow, node) : undefined;
  return <>{found && catalog ? titleOf(found, catalog) : node}</>;
}
