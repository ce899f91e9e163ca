linalg.transpose permutation=[6
