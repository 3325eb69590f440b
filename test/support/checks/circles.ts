/**
 * Groups of nodes that reach one another (strongly connected components of more than one node, Tarjan 1972).
 * @param edges targets by node; targets that are not nodes, and the node itself, do not count
 */
export function findCircles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    lowest.set(node, order.get(node)!);
    open.push(node);
    for (const target of edges.get(node)!) {
      if (!edges.has(target)) continue;
      if (!order.has(target)) visit(target);
      if (open.includes(target)) lowest.set(node, Math.min(lowest.get(node)!, lowest.get(target)!));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const circle = open.splice(open.indexOf(node));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return circles;
}
