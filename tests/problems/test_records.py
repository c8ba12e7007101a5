import numpy as np
from scipy.sparse import csc_array

from lopsided.problems import PositiveUnlabeled, Split, Texts, Topics
from lopsided.problems.reuters import TopicSplit


def test_one_class_is_set_against_the_rest_on_both_sides():
    split = Split("train", np.array([8, 3, 8]), "test", np.array([3, 8]))
    one = split.one_class(8)
    assert (one.X_train, one.X_test) == ("train", "test")
    assert one.y_train.tolist() == [1, 0, 1]
    assert one.y_test.tolist() == [0, 1]


def test_texts_name_their_classes():
    texts = Texts(["a", "b", "c"], np.array([1, 0, 1]), ["course", "staff"])
    assert texts.classes.tolist() == ["staff", "course", "staff"]


def test_a_story_may_be_about_several_topics():
    stories = Topics(["a", "b", "c"], csc_array([[1, 1], [0, 1], [0, 0]]), ["corn", "grain"])
    assert stories.labels("corn").tolist() == [1, 0, 0]
    assert stories.labels("grain").tolist() == [1, 1, 0]


def test_one_topic_is_set_against_the_rest_on_both_sides():
    train = Topics("train", csc_array([[1, 1], [0, 1]]), ["corn", "grain"])
    test = Topics("test", csc_array([[1, 0], [0, 1]]), ["corn", "grain"])
    one = TopicSplit(train, test, []).one_topic("corn")
    assert (one.X_train, one.X_test) == ("train", "test")
    assert one.y_train.tolist() == [1, 0]
    assert one.y_test.tolist() == [1, 0]


def test_known_rows_come_before_the_unlabeled():
    setup = PositiveUnlabeled(np.arange(10).reshape(5, 2), np.array([True, False]))
    assert setup.n_known == 3
    assert setup.is_known.tolist() == [1, 1, 1, 0, 0]
    assert setup.P.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert setup.U.tolist() == [[6, 7], [8, 9]]
