"""The answer of vectorizers to `set_output`: their rows are sparse, and no table holds those."""

from typing import Any, Self

from sklearn.base import TransformerMixin


class SparseOutput(TransformerMixin):
    """A transformer whose output is sparse, whatever scikit-learn's ``transform_output`` says."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(auto_wrap_output_keys=None, **options)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Accept "default" only, because the output is sparse.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None, default=None
            The container of the output; None changes nothing.

        Returns
        -------
        self : estimator
        """
        if transform not in (None, "default"):
            raise ValueError(
                f"{type(self).__name__} returns a sparse matrix; got set_output(transform={transform!r}). "
                "Call set_output on later steps only, or make a table of the output: "
                "pandas.DataFrame.sparse.from_spmatrix(X)."
            )
        return self
