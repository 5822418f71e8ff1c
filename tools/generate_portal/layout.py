"""The assignment of bundles to third parties, and of third parties to the known client and manager."""

from dataclasses import dataclass
from math import gcd

CLIENT_BUNDLES = 200
MANAGED_BUNDLES = 10_000


@dataclass(frozen=True)
class Layout:
    """Third parties in order: the client's, then the others of the manager, then all others.

    The manager also has the bundles and third parties of the client. Assignments are computed, not stored.
    """

    bundles: int
    third_parties: int
    client_bundles: int
    client_third_parties: int
    managed_bundles: int
    managed_third_parties: int

    @staticmethod
    def of_size(bundles, third_parties):
        """The client has 200 bundles, but at most a fifth of all; the manager 10,000, but at most half of all.
        Requires at least 3 third parties."""
        client = min(CLIENT_BUNDLES, max(1, bundles // 5))
        managed = min(MANAGED_BUNDLES, max(client, bundles // 2))
        managed_third_parties = 1
        if managed > client:
            share = round((managed - client) / (bundles - client) * (third_parties - 1))
            managed_third_parties += min(max(1, share), third_parties - 2)
        return Layout(bundles, third_parties, client, 1, managed, managed_third_parties)

    def third_party_of(self, slot):
        """The index of the third party that owns slot number `slot`, 0 to bundles − 1."""
        if slot < self.client_bundles:
            return slot % self.client_third_parties
        if slot < self.managed_bundles:
            own = self.client_third_parties
            return own + (slot - self.client_bundles) % (self.managed_third_parties - own)
        others = self.third_parties - self.managed_third_parties
        return self.managed_third_parties + (slot - self.managed_bundles) % others

    def scattered_slots(self, first=0):
        """Every slot from `first` on, once, in an order that mixes owners like a real export."""
        count = self.bundles - first
        step = int(count * 0.6180339887) | 1
        while gcd(step, count) != 1:
            step += 2
        slot = 0
        for _ in range(count):
            slot = (slot + step) % count
            yield first + slot
