"""Queueing theory of an open load: sojourn times of M/M/c and M/D/1, first come, first served. Times are in the unit that the
rates are by. L. Kleinrock: Queueing Systems, volume 1 (1975); A. K. Erlang (1909) for M/D/1."""

import math


def erlang_c(load, servers):
    """Probability that an arriving request has to wait. load: arrivals in the time of a service, below servers."""
    term = total = 1.0
    for n in range(1, servers):
        term *= load / n
        total += term
    last = term * load / servers / (1 - load / servers)
    return last / (total + last)


class MMc:
    """Exponential service of that rate by each of the servers, who share one queue."""

    def __init__(self, arrivals, service, servers=1):
        self.service, self.spare = service, servers * service - arrivals
        self.waits = erlang_c(arrivals / service, servers)

    @property
    def mean(self):
        return 1 / self.service + self.waits / self.spare

    def longer(self, time):
        """The share of requests that take longer than time."""
        served, waited = math.exp(-self.service * time), math.exp(-self.spare * time)
        apart = self.spare - self.service
        if abs(apart) < 1e-9 * self.service:
            return served * (1 + self.waits * self.service * time)
        return (1 - self.waits) * served + self.waits * (self.spare * served - self.service * waited) / apart


class MD1:
    """A service that always takes 1 / service, by one server."""

    def __init__(self, arrivals, service):
        self.arrivals, self.service, self.load = arrivals, service, arrivals / service

    @property
    def mean(self):
        return (1 + self.load / (2 * (1 - self.load))) / self.service

    def longer(self, time):
        waited = time - 1 / self.service
        if waited < 0:
            return 1.0
        terms = []
        for begun in range(int(waited * self.service) + 1):
            left = self.arrivals * (waited - begun / self.service)
            terms.append(math.exp(left) * (-left) ** begun / math.factorial(begun))
        return 1 - (1 - self.load) * math.fsum(terms)


def quantile(system, part):
    """The quantile: the time that this share (0 to 1) of all requests does not exceed."""
    low, high = 0.0, system.mean
    while system.longer(high) > 1 - part:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if system.longer(middle) > 1 - part else (low, middle)
    return high


def system_of(params, arrivals, capacity):
    """The queue of theory for a cell of serve whose workers together serve `capacity` requests a second; None if theory has
    none, or if the load exceeds the capacity."""
    servers = int(params["threads"])
    if params["arrivals"] != "poisson" or params.get("request", "one") != "one" or params["rare"] != "0" or not 0 < arrivals < capacity:
        return None
    if params["cost"] == "exponential":
        return MMc(arrivals, capacity / servers, servers)
    return MD1(arrivals, capacity) if params["cost"] == "uniform" and servers == 1 else None
