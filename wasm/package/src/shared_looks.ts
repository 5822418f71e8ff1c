// A look at a store that begins after a request has arrived is good for every request that arrived before it began: while
// one is under way, those who come wait for the next, and share it. No request gets anything older than the moment of asking,
// and the busier the store, the less a look costs each of them.

interface Looking<T> {
  underWay: Promise<T>;
  next?: Promise<T>; // shared by all who came since that one began
}

/** As `look`, of each name one at a time. */
export function sharing<T>(look: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const looking = new Map<string, Looking<T>>();

  const begin = (name: string): Promise<T> => {
    const current: Looking<T> = { underWay: look(name) };
    looking.set(name, current);
    const done = () => void (current.next || looking.delete(name));
    current.underWay.then(done, done);
    return current.underWay;
  };

  return (name) => {
    const current = looking.get(name);
    if (!current) return begin(name);
    const goOn = () => begin(name);
    return (current.next ??= current.underWay.then(goOn, goOn));
  };
}
