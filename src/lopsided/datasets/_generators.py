"""Made-up data whose truth is known, so that a learner can be held against the best possible answer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_ndtr, log_softmax, softmax
from sklearn.utils import Bunch

from lopsided._validation import as_generator

# Each word is drawn from its topic with the first share, from any topic with the second, else from COMMON.
TOPIC_SHARE, STRAY_SHARE = 0.10, 0.12

COMMON = (
    "the of and to a in is it for on that with was as at this from have be not but they you are or by one "
    "all there what when more some out then other about time people way made over new first after see know "
    "like year work good well long even look use need want week place part thing right still find small "
    "large question answer reason number point case group name list word line idea help"
)

TOPICS = {
    "autos": "engine brake clutch gearbox dealer mileage tire sedan exhaust radiator bumper diesel",
    "banking": "loan interest deposit mortgage branch account credit savings lender balance rate bond",
    "baseball": "pitcher inning bat catcher homer umpire shortstop bullpen base glove mound dugout",
    "chess": "bishop rook pawn knight castle opening endgame queen gambit checkmate board clock",
    "cooking": "oven garlic flour butter simmer onion recipe pepper whisk dough roast sauce",
    "cycling": "pedal saddle spoke handlebar derailleur helmet chain climb sprint peloton tube frame",
    "elections": "ballot senator campaign voter candidate poll precinct party debate turnout mayor recount",
    "electronics": "resistor capacitor voltage circuit solder diode amplifier antenna fuse relay chip coil",
    "gardening": "compost seedling prune soil tulip hedge mulch lawn weed rose spade greenhouse",
    "geology": "basalt fault quartz sediment glacier magma fossil crust erosion granite strata mineral",
    "hockey": "puck goalie rink stick slapshot penalty skate defenseman faceoff playoff crease overtime",
    "law": "court judge verdict statute plaintiff appeal attorney contract testimony jury clause counsel",
    "literature": "novel poem chapter author stanza narrator plot essay verse publisher prose sonnet",
    "medicine": "patient dose symptom doctor vaccine infection surgery therapy fever clinic diagnosis nurse",
    "music": "violin chord melody tempo orchestra guitar rhythm concert harmony singer bass encore",
    "photography": "lens shutter aperture tripod exposure film portrait flash focus zoom darkroom negative",
    "railways": "locomotive rail platform freight signal carriage track station timetable fare tunnel depot",
    "sailing": "mast anchor keel rudder harbor jib tide regatta buoy hull skipper sail",
    "space": "orbit rocket satellite launch shuttle lunar astronaut telescope comet probe payload module",
    "weather": "rain storm forecast humidity thunder cloud breeze frost blizzard drought barometer sleet",
}


def make_waveform(
    n_samples: int = 5000, *, n_noise: int = 0, random_state: Any = None, return_truth: bool = False
) -> tuple[Any, ...]:
    """Make three classes of noisy waves in 21 attributes; no classifier errs on less than about 13 %.

    Three triangular waves are 6 high and peak at attributes 7, 11 and 15. A sample is a mean of two of them
    in random proportion, plus standard normal noise; its class says which two [1]_. The least possible error
    is often quoted as 14 %; the exact rule errs on 13.3 %.

    Parameters
    ----------
    n_samples : int, default=5000
        Number of rows.
    n_noise : int, default=0
        Attributes of mere noise behind the 21; 19 give the well-known version with 40.
    random_state : None, int, Generator or RandomState, default=None
        Equal ints give equal data.
    return_truth : bool, default=False
        Return the truth as well.

    Returns
    -------
    X : array of shape (n_samples, 21 + n_noise)
    y : array of shape (n_samples,)
        Classes 0, 1 and 2, drawn with equal chance.
    truth : Bunch
        Only if ``return_truth``: ``class_probability`` of shape (n_samples, 3), exact given each row of X.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen, Stone, "Classification and Regression Trees", 1984, pages 49-55.

    Examples
    --------
    >>> X, y = make_waveform(100, n_noise=19, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((100, 40), [0, 1, 2])
    """
    _check_at_least(n_samples=(n_samples, 1), n_noise=(n_noise, 0))
    generator = as_generator(random_state)
    attribute = np.arange(1, 22)
    left, middle, right = (np.maximum(6.0 - np.abs(attribute - peak), 0.0) for peak in (7, 11, 15))
    # class 0 mixes the middle wave with the right one, 1 the middle with the left, 2 the left with the right
    start = np.array([right, left, right])
    step = np.array([middle, middle, left]) - start

    y = generator.integers(3, size=n_samples)
    share = generator.random((n_samples, 1))
    noise = generator.standard_normal((n_samples, 21 + n_noise))
    X = noise
    X[:, :21] += start[y] + share * step[y]
    if not return_truth:
        return X, y
    log_density = [_log_density_on_segment(X[:, :21], start[c], step[c]) for c in range(3)]
    return X, y, Bunch(class_probability=softmax(np.column_stack(log_density), axis=1))


def make_lopsided(
    n_samples: int = 1000,
    n_features: int = 20,
    positive_rate: float = 0.05,
    *,
    separation: float = 3.0,
    random_state: Any = None,
    return_truth: bool = False,
) -> tuple[Any, ...]:
    """Make two normal classes, the positives rare, and the best possible score known.

    Negatives are standard normal; positives are moved by ``separation`` in a random direction. The best
    score is linear, and the area under its ROC curve is Phi(separation / sqrt(2)) at any positive rate.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows.
    n_features : int, default=20
        Number of columns.
    positive_rate : float in (0, 1), default=0.05
        Share of positives, rounded to a whole number of them, at least one of each class.
    separation : float, default=3.0
        Distance between the class means, in standard deviations.
    random_state : None, int, Generator or RandomState, default=None
        Equal ints give equal data.
    return_truth : bool, default=False
        Return the truth as well.

    Returns
    -------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        1 for positive, 0 for negative.
    truth : Bunch
        Only if ``return_truth``: ``coef`` and ``intercept`` of the best score of any row, ``score`` (log odds
        of each row of X) and ``probability`` (of being positive).

    Examples
    --------
    >>> X, y = make_lopsided(n_samples=200, positive_rate=0.02, random_state=0)
    >>> X.shape, int(y.sum())
    ((200, 20), 4)
    """
    _check_at_least(n_samples=(n_samples, 2), n_features=(n_features, 1), separation=(separation, 0))
    if not 0 < positive_rate < 1:
        raise ValueError(f"positive_rate must be in (0, 1); got {positive_rate}.")
    generator = as_generator(random_state)
    n_positive = min(max(round(positive_rate * n_samples), 1), n_samples - 1)
    y = generator.permutation(np.arange(n_samples) < n_positive).astype(np.int64)
    direction = generator.standard_normal(n_features)
    shift = separation * direction / np.linalg.norm(direction)
    X = generator.standard_normal((n_samples, n_features)) + y[:, None] * shift
    if not return_truth:
        return X, y
    # log N(x; shift, I) - log N(x; 0, I) = shift . x - |shift|^2 / 2
    intercept = float(np.log(n_positive / (n_samples - n_positive)) - separation**2 / 2)
    score = X @ shift + intercept
    return X, y, Bunch(coef=shift, intercept=intercept, score=score, probability=expit(score))


def make_topics(
    n_samples: int = 1000,
    n_topics: int = 20,
    *,
    n_words: int = 60,
    random_state: Any = None,
    return_truth: bool = False,
) -> tuple[Any, ...]:
    """Make short English-looking documents, each about one topic.

    Words are drawn independently: some from the topic of the document, some from any topic, most from a
    common vocabulary. Their order means nothing.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of documents, spread evenly over the topics.
    n_topics : int from 2 to 20, default=20
        Number of topics.
    n_words : int, default=60
        Mean length of a document; lengths follow a Poisson distribution, and none is empty.
    random_state : None, int, Generator or RandomState, default=None
        Equal ints give equal documents.
    return_truth : bool, default=False
        Return the truth as well.

    Returns
    -------
    documents : list of str
    y : array of shape (n_samples,)
        Topic of each document, 0 to ``n_topics - 1``.
    truth : Bunch
        Only if ``return_truth``: ``topic_names``, ``vocabulary``, ``word_probability`` of shape (n_topics,
        n_vocabulary), and ``topic_probability`` of shape (n_samples, n_topics), exact given each document.

    Examples
    --------
    >>> documents, y = make_topics(40, random_state=0)
    >>> len(documents), len(set(y.tolist()))
    (40, 20)
    """
    _check_at_least(n_samples=(n_samples, 1), n_topics=(n_topics, 2), n_words=(n_words, 1))
    if n_topics > len(TOPICS):
        raise ValueError(f"n_topics must be at most {len(TOPICS)}; got {n_topics}.")
    generator = as_generator(random_state)
    topic_names = list(TOPICS)[:n_topics]
    vocabulary, word_probability = _word_probability(topic_names)

    y = generator.permutation(np.arange(n_samples) % n_topics)
    lengths = np.maximum(generator.poisson(n_words, n_samples), 1)
    log_likelihood = np.empty((n_samples, n_topics))
    documents = []
    for i in range(n_samples):
        words = generator.choice(len(vocabulary), lengths[i], p=word_probability[y[i]])
        documents.append(" ".join(vocabulary[words]))
        log_likelihood[i] = np.log(word_probability[:, words]).sum(axis=1)
    if not return_truth:
        return documents, y
    truth = Bunch(
        topic_names=topic_names,
        vocabulary=vocabulary.tolist(),
        word_probability=word_probability,
        topic_probability=np.exp(log_softmax(log_likelihood, axis=1)),
    )
    return documents, y, truth


def _log_density_on_segment(
    X: NDArray[np.float64], start: NDArray[np.float64], step: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the log density, up to a constant, of start + u step + normal noise with u uniform on [0, 1].

    With v the place along the segment where a row falls, in standard deviations, and r its squared distance
    to the line, the integral over u is  exp(-r/2) (Phi(length - v) - Phi(-v)) / length.
    """
    length = np.linalg.norm(step)
    offset = X - start
    v = offset @ step / length
    r = (offset**2).sum(axis=1) - v**2
    # Phi(b) - Phi(a) = Phi(-a) - Phi(-b): taken on the side where both are small, the logarithm stays exact.
    a, b = -v, length - v
    flip = a > 0
    a, b = np.where(flip, -b, a), np.where(flip, -a, b)
    return -r / 2 + log_ndtr(b) + np.log1p(-np.exp(log_ndtr(a) - log_ndtr(b))) - np.log(length)


def _word_probability(topic_names: list[str]) -> tuple[NDArray[np.str_], NDArray[np.float64]]:
    """Return the vocabulary, and the distribution of words in each topic."""
    common = COMMON.split()
    own = [TOPICS[name].split() for name in topic_names]
    vocabulary = np.array(sorted({*common, *(word for words in own for word in words)}))
    index = {word: i for i, word in enumerate(vocabulary.tolist())}

    def falling(words: list[str]) -> NDArray[np.float64]:
        """Return shares as in real text: the second word is half as frequent as the first, and so on."""
        weight = np.zeros(len(vocabulary))
        weight[[index[word] for word in words]] = 1 / np.arange(1, len(words) + 1)
        return weight / weight.sum()

    of_topic = np.array([falling(words) for words in own])
    background = STRAY_SHARE * of_topic.mean(axis=0) + (1 - TOPIC_SHARE - STRAY_SHARE) * falling(common)
    return vocabulary, TOPIC_SHARE * of_topic + background


def _check_at_least(**given: tuple[float, float]) -> None:
    for name, (value, least) in given.items():
        if not value >= least:
            raise ValueError(f"{name} must be at least {least}; got {value}.")
